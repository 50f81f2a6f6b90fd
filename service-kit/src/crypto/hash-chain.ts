import { hash } from 'node:crypto';

/** JSON with sorted keys and no spaces, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((v) => canonicalJson(v ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value)
    .filter(([, v]) => v !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v)}`).join(',')}}`;
}

/** The hash of a link: over its type and its data, which holds `prev` but not `hash`. */
export function linkHash(type: string, dataWithoutHash: object): string {
  return hash('sha256', canonicalJson({ type, data: dataWithoutHash }), 'hex');
}

/** Whether an event is the true next link after `prev`; `hash` is checked over the data as stored. */
export function isNextLink(prev: string, type: string, data: Record<string, unknown>): boolean {
  const { hash: own, ...rest } = data;
  return rest.prev === prev && own === linkHash(type, rest);
}
