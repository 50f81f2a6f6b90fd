import { linesOf } from './data.ts';
import { irregularFormsOf, LANGUAGES, type Language, stem } from './language.ts';
import { densePairsIn, fold } from './terms.ts';

/** The words that stand for each stem, as they are written. */
type Related = Map<string, Set<string>>;

/** Of so many each is searched for. */
const formsMax = 24;

function relate(related: Related, own: string, others: readonly string[]) {
  related.set(own, new Set([...(related.get(own) ?? []), ...others]));
}

/**
 * Everyday English, a word on each line with the words that stand for it in an answer: others for
 * the same ("wage: pay salary"), and kinds of it ("colour: red green"). Read in this direction: who
 * asks for a colour is answered by "red", not the other way round.
 */
function readDirected(related: Related) {
  for (const line of linesOf('related-words')) {
    const [word = '', others = ''] = line.split(': ');
    relate(related, stem(word, 'en'), others.split(' '));
  }
}

/** Words on one line of a group stand for each other: those of questions to a company, mostly. */
function readGroups(related: Related, name: string, stemOf: (word: string) => string) {
  for (const line of linesOf(`word-groups/${name}`)) {
    const words = line.split(' ').map(fold);
    for (const word of words) {
      const others = words.filter((other) => other !== word);
      relate(related, stemOf(word), others);
    }
  }
}

function relatedIn(language: Language) {
  const related: Related = new Map();
  const stemOf = (word: string) => stem(word, language);
  if (language === 'en') readDirected(related);
  readGroups(related, language, stemOf);
  readGroups(related, 'dense', (word) => word);
  const stemOfAny = (word: string) => densePairsIn(word)[0] ?? stemOf(word);
  const stems = new Map(
    [...related].map(([own, words]) => [own, new Set([...words].map(stemOfAny))]),
  );
  return { related, stems };
}

const byLanguage = new Map(LANGUAGES.map((language) => [language, relatedIn(language)]));

/** Whether a found stem stands for a requested one. */
export const isRelated = (asked: string, found: string, language: Language): boolean =>
  byLanguage.get(language)?.stems.get(asked)?.has(found) ?? false;

/** Other words that stand for a word: its irregular forms, and everyday words for it. */
export function formsOf(word: string, language: Language): string[] {
  const own = stem(word, language);
  const irregular = language === 'en' ? irregularFormsOf(own) : [];
  const all = new Set([...irregular, ...(byLanguage.get(language)?.related.get(own) ?? [])]);
  all.delete(word);
  return [...all].slice(0, formsMax);
}

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
