export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
};

const UNKNOWN = 'unknown';

/** The TypeScript type of a JSON Schema; references name declared types. */
export function typeText(schema: Schema, indent = ''): string {
  if (schema.$ref) return nameOf(schema.$ref);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return union(either.map((one) => typeText(one, indent)));
  if (schema.allOf) return schema.allOf.map((one) => grouped(typeText(one, indent))).join(' & ');
  const { type } = schema;
  if (Array.isArray(type))
    return union(type.map((one) => typeText({ ...schema, type: one }, indent)));
  switch (type) {
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      if (schema.prefixItems) return `[${schema.prefixItems.map((one) => typeText(one, indent))}]`;
      return `${grouped(schema.items ? typeText(schema.items, indent) : UNKNOWN)}[]`;
    case 'object':
      return objectText(schema, indent);
    case undefined:
      return schema.properties ? objectText(schema, indent) : UNKNOWN;
    default:
      throw new Error(`No TypeScript type is known for ${JSON.stringify(schema)}`);
  }
}

function objectText(
  { properties = {}, required = [], additionalProperties }: Schema,
  indent: string,
) {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const isRequired = required.includes(name);
    const type = union([typeText(field, inner), ...(isRequired ? [] : ['undefined'])]);
    return `${comment(field.description, inner)}${inner}${key}${isRequired ? '' : '?'}: ${type};\n`;
  });
  if (fields.length > 0) return `{\n${fields.join('')}${indent}}`;
  if (additionalProperties === false) return 'Record<string, never>';
  const values = typeof additionalProperties === 'object' ? additionalProperties : {};
  return `Record<string, ${typeText(values, indent)}>`;
}

/** The name behind `#/components/schemas/…`. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

export const union = (types: readonly string[]): string =>
  [...new Set(types)].join(' | ') || 'never';

const grouped = (type: string) =>
  / [|&] /.test(type) && !type.startsWith('{') ? `(${type})` : type;

/** The text as a documentation comment, broken into lines. */
export function comment(text: string | undefined, indent: string): string {
  if (!text) return '';
  const lines = text
    .replaceAll('*/', '*\\/')
    .split('\n')
    .flatMap((line) => line.match(/.{1,90}(?:\s|$)|\S+/g) ?? ['']);
  if (lines.length === 1) return `${indent}/** ${lines[0]?.trim()} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}
