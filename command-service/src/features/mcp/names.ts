/** Clients add the name of the server, and some accept only 60 characters for both. */
const SLUG_LENGTH_MAX = 18;
/** A UUID in base 36. */
const ID_LENGTH = 25;
const ID = new RegExp(`_([0-9a-z]{${ID_LENGTH}})$`);
const BITS = 128n;

/**
 * The name of a tool or prompt for an object: readable, and with its id at the end. Matches
 * `^[a-zA-Z0-9_-]{1,64}$`. Only the id counts, so an earlier name of the object still finds it.
 */
export function nameFor(prefix: string, title: string, id: string): string {
  const slug = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, SLUG_LENGTH_MAX)
    .replace(/^_|_$/g, '');
  const number = BigInt(`0x${id.replaceAll('-', '')}`)
    .toString(36)
    .padStart(ID_LENGTH, '0');
  return [prefix, slug, number].filter(Boolean).join('_');
}

/** The id at the end of a name; null if there is none. */
export function idIn(name: string): string | null {
  const text = ID.exec(name)?.[1];
  if (!text) return null;
  let number = 0n;
  for (const digit of text) number = number * 36n + BigInt(Number.parseInt(digit, 36));
  if (number >> BITS) return null;
  const hex = number.toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
