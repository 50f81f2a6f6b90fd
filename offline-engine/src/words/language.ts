import { linesOf, wordsOf } from './data.ts';

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ru'] as const;
/** Languages written with spaces. Others are matched by pairs of characters, see `terms.ts`. */
export type Language = (typeof LANGUAGES)[number];

const byLanguage = <Value>(read: (language: Language) => Value) =>
  Object.fromEntries(LANGUAGES.map((language) => [language, read(language)])) as Record<
    Language,
    Value
  >;

/** Words without a subject, lower case and without accents, and the usual words of asking. */
export const stopWords = byLanguage((language) => new Set(wordsOf(`stop-words/${language}`)));

/** The language whose stop words occur most often among these folded words, or null. */
export function languageOf(words: readonly string[]): Language | null {
  const counts = LANGUAGES.map((one) => words.filter((word) => stopWords[one].has(word)).length);
  const most = Math.max(...counts);
  return most === 0 ? null : (LANGUAGES[counts.indexOf(most)] ?? null);
}

/** Inflections that a stem loses, the longest first. English has rules instead. */
const endings = byLanguage((language) => (language === 'en' ? [] : wordsOf(`endings/${language}`)));
const stemLengthMin = (language: Language) => (language === 'ru' ? 3 : 4);

/** Irregular English words: the base, then its forms. */
const irregularForms = new Map(
  linesOf('irregular-words').map((line) => {
    const forms = line.split(' ');
    return [forms[0] ?? '', forms];
  }),
);
const baseOfForm = new Map(
  [...irregularForms].flatMap(([base, forms]) => forms.map((form) => [form, base] as const)),
);

/** All forms of an irregular English word, or none. */
export const irregularFormsOf = (base: string): readonly string[] => irregularForms.get(base) ?? [];

/** Texts use the same words again and again. */
const knownStems = byLanguage(() => new Map<string, string>());
const KNOWN_STEMS_MAX = 20_000;
/** The engine keeps a longer part of a text as a reference to all of it. */
const KNOWN_LENGTH_MAX = 12;

/**
 * The stem of a folded word: the same for all forms of the word ("returned", "returns"), not
 * necessarily a word itself. Numbers and short words stay as they are.
 */
export function stem(word: string, language: Language): string {
  if (word.length > KNOWN_LENGTH_MAX) return newStem(word, language);
  const known = knownStems[language];
  const found = known.get(word);
  if (found !== undefined) return found;
  if (known.size === KNOWN_STEMS_MAX) known.clear();
  const stemmed = newStem(word, language);
  known.set(word, stemmed);
  return stemmed;
}

function newStem(word: string, language: Language): string {
  if (/\p{N}/u.test(word)) return word;
  if (language === 'en') return stemEnglish(word);
  const lengthMin = stemLengthMin(language);
  const ending = endings[language].find(
    (one) => word.length - one.length >= lengthMin && word.endsWith(one),
  );
  return ending ? word.slice(0, -ending.length) : word;
}

function stemEnglish(word: string): string {
  const regular = baseOfForm.get(word);
  if (regular) return regular;
  if (word.length < 4) return word;
  let base = word;
  if (/(ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2);
  else if (/ies$/.test(base) && base.length > 4) base = `${base.slice(0, -3)}y`;
  else if (/.ied$/.test(base)) base = `${base.slice(0, -3)}y`;
  else if (/[^sui]s$/.test(base)) base = base.slice(0, -1);
  const verbal = /^(.*[aeiouy].*)(?:ing|ed)$/.exec(base)?.[1];
  if (verbal && verbal.length >= 3) base = verbal;
  if (verbal && /([bdfgmnprt])\1$|.{5}ll$/.test(base)) base = base.slice(0, -1);
  if (/(ement|ment|ation|ition|able|ible)$/.test(base) && base.length >= 8) {
    base = base.replace(/(ement|ment|ation|ition|able|ible)$/, '');
  }
  // "delivery" and "deliver", "store" and "stored" share a stem without their last letter.
  if (base.length >= 4 && /[ey]$/.test(base)) base = base.slice(0, -1);
  return base;
}
