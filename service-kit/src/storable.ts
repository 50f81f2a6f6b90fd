/**
 * The value with text that every store takes. PostgreSQL knows no null character and no half of a
 * surrogate pair; callers may not send them, but tools and models say what they like, and text that
 * was cut may end amid a character. One event with them stops its stream in each read model.
 */
export function storable<T>(value: T): T {
  return isStorable(value) ? value : (mended(value) as T);
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  for (const key in value) {
    if (!isStorable((value as Readonly<Record<string, unknown>>)[key])) return false;
  }
  return true;
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\ufffd');
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mended(inner)]));
}
