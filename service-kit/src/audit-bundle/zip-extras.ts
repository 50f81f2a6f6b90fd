/** Of sizes and places beyond 32 bits. */
const ZIP64 = 1;

/** Whether content is what other programs write: times of a file and the ids of its owner. */
const KNOWN: Readonly<Record<number, (content: Buffer) => boolean>> = {
  // The lengths are compared with the numbers that need it.
  [ZIP64]: ({ length }) => length % 8 === 0,
  // Times of Unix: a byte of flags, and four bytes for each time or, in the directory, for the first.
  21589: (content) => [5, 9, 13].includes(content.length) && (content[0] ?? 0) <= 7,
  // Ids of Unix, in two forms.
  30837: (content) =>
    content.length === 11 && content[0] === 1 && content[1] === 4 && content[6] === 4,
  22613: ({ length }) => length === 8 || length === 12,
  // Times of Windows: one attribute with three times.
  10: (content) =>
    content.length === 32 &&
    content.readUInt32LE(0) === 0 &&
    content.readUInt16LE(4) === 1 &&
    content.readUInt16LE(6) === 24,
  // By which Java marks its archives.
  51966: ({ length }) => length === 0,
};

type Extra = { readonly id: number; readonly content: Buffer | null };

/** The extra fields of a header; the content is null where it is cut off. */
function extrasIn(extra: Buffer): Extra[] {
  const found: Extra[] = [];
  let at = 0;
  while (at < extra.length) {
    if (at + 4 > extra.length) return [...found, { id: 0, content: null }];
    const id = extra.readUInt16LE(at);
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (end > extra.length) return [...found, { id, content: null }];
    found.push({ id, content: extra.subarray(at + 4, end) });
    at = end;
  }
  return found;
}

/** The first extra field that could hide data; null if there is none. */
export function unknownExtra(extra: Buffer): number | null {
  const extras = extrasIn(extra);
  const unknown = extras.find(
    ({ id, content }, at) =>
      content === null ||
      KNOWN[id]?.(content) !== true ||
      extras.findIndex((other) => other.id === id) !== at,
  );
  return unknown?.id ?? null;
}

export const isZip64Extra = (extra: Buffer): boolean =>
  extrasIn(extra).some(({ id }) => id === ZIP64);

/** The numbers of 64 bits, in their order. */
export function largeNumbersIn(extra: Buffer): number[] {
  const content = extrasIn(extra).find(({ id }) => id === ZIP64)?.content;
  return Array.from({ length: Math.floor((content?.length ?? 0) / 8) }, (_, at) =>
    Number(content?.readBigUInt64LE(8 * at)),
  );
}
