import { isRelated } from './related-words.ts';
import type { Language } from './stop-words.ts';

export const weights = { same: 1, typo: 0.85, partOf: 0.75, related: 0.65 } as const;
const typoLengthMin = 5;
const typoSimilarityMin = 0.34;

/** How far a word of the articles stands for a word of the question: 0 to 1. */
export function similarity(asked: string, found: string, language: Language): number {
  if (asked === found) return weights.same;
  if (isRelated(asked, found, language)) return weights.related;
  if (/\p{N}/u.test(asked) || /\p{N}/u.test(found)) return 0;
  if (isPartOf(asked, found, language)) return weights.partOf;
  return isTypo(asked, found) ? weights.typo : 0;
}

/** "member" in "membership"; in German at the end too: "frist" in "ruckgabefrist". */
function isPartOf(asked: string, found: string, language: Language): boolean {
  const [short, long] = asked.length < found.length ? [asked, found] : [found, asked];
  if (short.length < 5 || short.length * (language === 'de' ? 4 : 2) < long.length) return false;
  return long.startsWith(short) || (language === 'de' && long.endsWith(short));
}

/**
 * One slip of the finger in a word of five letters, two from eight on; the first letter is right.
 */
function isTypo(asked: string, found: string): boolean {
  const length = Math.min(asked.length, found.length);
  if (length < typoLengthMin || asked[0] !== found[0]) return false;
  const slipsMax = length >= 8 ? 2 : 1;
  if (Math.abs(asked.length - found.length) > slipsMax) return false;
  return trigramSimilarity(asked, found) >= typoSimilarityMin && slips(asked, found) <= slipsMax;
}

function trigrams(word: string): Set<string> {
  const padded = `  ${word} `;
  const all = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at += 1) all.add(padded.slice(at, at + 3));
  return all;
}

/** Shared trigrams twice over all trigrams: 1 for equal words. */
function trigramSimilarity(one: string, other: string): number {
  const ours = trigrams(one);
  const theirs = trigrams(other);
  let shared = 0;
  for (const gram of ours) if (theirs.has(gram)) shared += 1;
  return (2 * shared) / (ours.size + theirs.size);
}

/** Letters added, dropped, changed or swapped with their neighbour (optimal string alignment). */
function slips(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const changed = one[i - 1] === other[j - 1] ? 0 : 1;
      let least = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + changed,
      );
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (swapped) least = Math.min(least, (before[j - 2] as number) + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[other.length] as number;
}
