import { useTranslation } from 'react-i18next';
import type { Schema } from './document.ts';

const DEPTH_MAX = 8;
const UUID = 'uuid';
/** Every whole number of the API is within these bounds. */
const SAFE = Number.MAX_SAFE_INTEGER;

const choicesOf = ({ anyOf, oneOf, allOf }: Schema) => anyOf ?? oneOf ?? allOf;

/** The type in a few words, as `string (uuid)` or `array of object`. */
function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = choicesOf(schema);
  if (choices) return [...new Set(choices.map(typeOf))].join(' | ');
  if (schema.type === 'array') return `array of ${schema.items ? typeOf(schema.items) : 'any'}`;
  const type = [schema.type ?? 'any'].flat().join(' | ');
  return schema.format && schema.format !== UUID
    ? `${type} (${schema.format})`
    : schema.format === UUID
      ? 'id'
      : type;
}

function rulesOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const between = (low?: number, high?: number) =>
    low === undefined && high === undefined ? null : `${low ?? ''}…${high ?? ''}`;
  const isSafe = (value?: number) => value !== undefined && Math.abs(value) >= SAFE;
  return [
    between(isSafe(minimum) ? undefined : minimum, isSafe(maximum) ? undefined : maximum),
    between(minLength, maxLength),
    between(minItems, maxItems),
    schema.default === undefined ? null : `= ${JSON.stringify(schema.default)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** What stands inside: the fields of an object, of a list's items, or of the choices. */
function insideOf(schema: Schema): readonly [string, Schema, boolean][] {
  if (schema.items) return insideOf(schema.items);
  const choices = choicesOf(schema);
  if (choices) {
    const fields = choices.flatMap(insideOf);
    return fields.filter(([name], at) => fields.findIndex(([other]) => other === name) === at);
  }
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).map(([name, one]) => [
    name,
    one,
    required.has(name),
  ]);
}

/** A schema as a list of its fields, those inside others below them. */
export function SchemaView({ schema, depth = 0 }: { schema: Schema; depth?: number }) {
  const { t } = useTranslation('reference');
  const fields = depth < DEPTH_MAX ? insideOf(schema) : [];
  if (fields.length === 0) {
    return depth === 0 ? <code className="font-mono text-xs">{typeOf(schema)}</code> : null;
  }
  return (
    <ul className={depth === 0 ? 'text-sm' : 'ml-1 border-l border-line pl-3'}>
      {fields.map(([name, field, required]) => (
        <li key={name} className="py-1">
          <div className="flex flex-wrap items-baseline gap-x-2">
            <code className="font-mono text-xs font-semibold">{name}</code>
            <span className="min-w-0 font-mono text-xs break-words text-muted">
              {typeOf(field)}
            </span>
            {required && <span className="text-xs text-warning">{t('required')}</span>}
            <span className="text-xs text-muted">{rulesOf(field)}</span>
          </div>
          {field.description && (
            <p className="text-xs text-muted">{field.description.replaceAll('`', '')}</p>
          )}
          <SchemaView schema={field} depth={depth + 1} />
        </li>
      ))}
    </ul>
  );
}
