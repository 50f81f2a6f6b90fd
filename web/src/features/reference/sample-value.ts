import type { Schema } from './document.ts';

const ID = '0193a1b2-0000-7000-8000-000000000001';
const DEPTH_MAX = 6;

/** A value that the schema takes, with its required fields only. */
export function sampleOf(schema: Schema = {}, depth = 0): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.examples) return schema.examples[0];
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
  return 'text'.padEnd(minLength, '.');
}
