import type { Operation, Parameter, Schema } from './document.ts';

const ID = '0193a1b2-0000-7000-8000-000000000001';
const DEPTH_MAX = 6;

/** A value that the schema takes; only what must be given stands in it. */
export function sampleOf(schema: Schema = {}, depth = 0): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema.allOf?.[0];
  if (choice) return sampleOf(choice, depth);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const shown = Object.entries(properties).filter(([name]) => required.includes(name));
      if (depth >= DEPTH_MAX) return {};
      return Object.fromEntries(shown.map(([name, one]) => [name, sampleOf(one, depth + 1)]));
    }
    case 'array':
      return schema.minItems ? [sampleOf(schema.items, depth + 1)] : [];
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return true;
    case 'string':
      return textOf(schema);
    default:
      return null;
  }
}

function textOf({ format, minLength = 0 }: Schema): string {
  if (format === 'uuid') return ID;
  if (format === 'date-time') return '2027-01-31T00:00:00Z';
  if (format === 'email') return 'ada@example.com';
  return 'text'.padEnd(minLength, '…');
}

const inPath = (path: string, parameters: readonly Parameter[] = []) =>
  parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce(
      (filled, { name, schema }) => filled.replace(`{${name}}`, String(sampleOf(schema))),
      path,
    );

type Request = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
};

/** The call as one would make it by an API key, at this very server. */
export function requestOf(operation: Operation, origin: string): Request {
  const { method, path, parameters, requestBody, security } = operation;
  const { schema, example } = requestBody?.content['application/json'] ?? {};
  const isByKey = security.some((each) => 'apiKey' in each);
  return {
    method: method.toUpperCase(),
    url: `${origin}${inPath(path, parameters)}`,
    headers: {
      ...(isByKey && { authorization: 'Bearer th_…' }),
      ...(schema && { 'content-type': 'application/json' }),
    },
    body: example ?? (schema && sampleOf(schema)),
  };
}

export function asCurl({ method, url, headers, body }: Request): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

export function asFetch({ method, url, headers, body }: Request): string {
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(Object.keys(headers).length > 0 ? [`headers: ${JSON.stringify(headers)}`] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${JSON.stringify(body)})`]),
  ];
  const given = options.length > 0 ? `, {\n${options.map((one) => `  ${one},\n`).join('')}}` : '';
  return `const response = await fetch('${url}'${given});`;
}
