import { readFile } from 'node:fs/promises';
import { decompress } from 'woff2-encoder';

/** Fonts in the order in which they are tried for a character. */
const FAMILIES = {
  'noto-sans': import.meta.resolve('@fontsource-variable/noto-sans/unicode.json'),
  'noto-sans-jp': import.meta.resolve('@fontsource-variable/noto-sans-jp/unicode.json'),
  'noto-sans-sc': import.meta.resolve('@fontsource-variable/noto-sans-sc/unicode.json'),
  'noto-sans-kr': import.meta.resolve('@fontsource-variable/noto-sans-kr/unicode.json'),
};
const OWN = 'noto-sans';

/** A font file with some ranges of characters. */
type Subset = {
  readonly family: string;
  readonly url: URL;
  readonly ranges: readonly (readonly [first: number, last: number])[];
};

/** Consecutive characters from one font file. */
export type Run = {
  readonly text: string;
  readonly font: Buffer;
  readonly name: string;
  /** The font's default weight is the thinnest. */
  readonly isThin: boolean;
};

const REPLACEMENT = '?';

let subsets: Promise<readonly Subset[]> | undefined;
const fonts = new Map<string, Promise<Buffer>>();

/** Splits a text into runs of one font. Characters without a font become question marks. */
export async function runsOf(text: string): Promise<Run[]> {
  subsets ??= readSubsets();
  const known = await subsets;
  const parts: { text: string; subset: Subset }[] = [];
  for (const { segment } of new Intl.Segmenter('en').segment(text.normalize('NFC'))) {
    const own = known.find(({ ranges }) => [...segment].every((c) => isIn(ranges, c)));
    const subset = own ?? known.find(({ ranges }) => isIn(ranges, REPLACEMENT));
    if (!subset) throw new Error('No font has a question mark');
    const shown = own ? segment : REPLACEMENT;
    const last = parts.at(-1);
    if (last?.subset === subset) last.text += shown;
    else parts.push({ text: shown, subset });
  }
  return Promise.all(
    parts.map(async ({ text, subset: { url, family } }) => ({
      text,
      name: url.pathname.split('/').at(-1) ?? '',
      font: await fontOf(url),
      isThin: family !== OWN,
    })),
  );
}

function isIn(ranges: Subset['ranges'], character: string): boolean {
  const point = character.codePointAt(0) ?? 0;
  return ranges.some(([first, last]) => point >= first && point <= last);
}

/** Each file is decompressed once; a text rarely needs more than two. */
function fontOf(url: URL): Promise<Buffer> {
  const known = fonts.get(url.href) ?? readFile(url).then(unpack);
  fonts.set(url.href, known);
  return known;
}

const unpack = async (woff2: Buffer) => Buffer.from(await decompress(woff2));

/** Reads ranges such as `U+0-FF,U+131` by subset, a word or a number in brackets. */
async function readSubsets(): Promise<readonly Subset[]> {
  const all = await Promise.all(
    Object.entries(FAMILIES).map(async ([family, list]) => {
      const text = await readFile(new URL(list), 'utf8');
      return Object.entries(JSON.parse(text) as Record<string, string>).map(
        ([name, ranges]): Subset => ({
          family,
          url: new URL(`files/${family}-${name.replace(/[[\]]/g, '')}-wght-normal.woff2`, list),
          ranges: ranges.split(',').map(rangeOf),
        }),
      );
    }),
  );
  return all.flat();
}

function rangeOf(text: string): [number, number] {
  const [first = '', last = first] = text.trim().replace('U+', '').split('-');
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
}
