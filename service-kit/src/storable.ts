/**
 * The value with storable text. PostgreSQL has no null character and no lone surrogates; callers
 * may not send them, but tools and models may, and truncated text may end in the middle of a
 * character. One such event would stop its stream in each read model.
 */
export function storable<T>(value: T): T {
  return isStorable(value) ? value : (repaired(value) as T);
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  for (const key in value) {
    if (!isStorable((value as Readonly<Record<string, unknown>>)[key])) return false;
  }
  return true;
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\ufffd');
  if (Array.isArray(value)) return value.map(repaired);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, repaired(inner)]));
}
