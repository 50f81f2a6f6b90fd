import type { Language } from './language.ts';
import { isRelated } from './related-words.ts';

const weights = { same: 1, partOf: 0.75, related: 0.65 } as const;

/** How far a word of the articles stands for a word of the question: 0 to 1. */
export function similarity(asked: string, found: string, language: Language): number {
  if (asked === found) return weights.same;
  if (isRelated(asked, found, language)) return weights.related;
  if (/\p{N}/u.test(asked) || /\p{N}/u.test(found)) return 0;
  return isPartOf(asked, found, language) ? weights.partOf : 0;
}

/** "member" in "membership"; in German at the end too: "frist" in "ruckgabefrist". */
function isPartOf(asked: string, found: string, language: Language): boolean {
  const [short, long] = asked.length < found.length ? [asked, found] : [found, asked];
  if (short.length < 5 || short.length * (language === 'de' ? 4 : 2) < long.length) return false;
  return long.startsWith(short) || (language === 'de' && long.endsWith(short));
}
