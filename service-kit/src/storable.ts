/**
 * The value with storable text. PostgreSQL has no null character and no lone surrogates; callers
 * may not send them, but tools and models may, and truncated text may end in the middle of a
 * character. One such event would stop its stream in each read model.
 */
export function storable<T>(value: T): T {
  return isStorable(value) ? value : (repaired(value) as T);
}

/** As JSON escapes them. A backslash of the text itself is doubled there. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

const isStorable = (value: unknown): boolean => !UNSTORABLE.test(JSON.stringify(value) ?? '');

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\ufffd');
  if (Array.isArray(value)) return value.map(repaired);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [repaired(key), repaired(inner)]),
  );
}
