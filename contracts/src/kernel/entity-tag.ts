type Tagged = { readonly version: number; readonly isActive?: boolean };

/**
 * The `ETag` of a versioned object: its version in quotes. Pausing an agent makes no version, so a
 * paused one has a tag of its own.
 */
export const entityTag = ({ version, isActive = true }: Tagged): string =>
  `"${version}${isActive ? '' : '-paused'}"`;

const TAGS = /^\s*(?:W\/)?"[^"]*"\s*(?:,\s*(?:W\/)?"[^"]*"\s*)*$/;

/**
 * The tags of an `If-Match` header; null if it is no list of them. Proxies that compress make a tag
 * weak, so a weak one counts like a strong one.
 */
export function entityTagsOf(header: string): '*' | readonly string[] | null {
  if (header.trim() === '*') return '*';
  return TAGS.test(header) ? [...header.matchAll(/"[^"]*"/g)].map(([tag]) => tag) : null;
}
