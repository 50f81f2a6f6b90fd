import { type Language, languageOf } from './language.ts';
import { formsOf } from './related-words.ts';
import { densePairsIn, detectLanguage, fold, subjectsOf, wordsIn } from './terms.ts';

/** PostgreSQL's name for the way that a language's words are stemmed. */
const configurations: Record<Language, string> = {
  en: 'english',
  de: 'german',
  fr: 'french',
  es: 'spanish',
  it: 'italian',
  pt: 'portuguese',
  nl: 'dutch',
  ru: 'russian',
};
const SAMPLE_MAX = 20_000;
const WORDS_MAX = 32;
/** Who writes more than this has said it in more than one way, and each further word costs time. */
const WORDS_WITH_FORMS_MAX = 12;
const VOCABULARY_WORD = /^\p{L}{4,30}$/u;

/** The text search configuration of an article: `simple` for a language that has none. */
export function configurationOf(article: { title: string; content: string }): string {
  const words = wordsIn(`${article.title}\n${article.content.slice(0, SAMPLE_MAX)}`);
  const language = languageOf(words);
  if (language) return configurations[language];
  return words.some((word) => /\p{Script=Latin}/u.test(word)) ? 'english' : 'simple';
}

/**
 * What of a text is to be found by full-text search: the text itself, its words without accents
 * where it has some, and the pairs of characters of scripts without spaces.
 */
export function searchTextOf(text: string): string {
  const folded = fold(text);
  const accents = folded === text.toLowerCase() ? [] : [folded];
  return [text, ...accents, ...densePairsIn(folded)].join(' ');
}

/** The longer words of a text without accents, each once, for search by likeness. */
export function vocabularyIn(text: string): string[] {
  return [...new Set(wordsIn(text).filter((word) => VOCABULARY_WORD.test(word)))];
}

/**
 * The subject words of a question, 32 at most. Each is followed by itself with its accents and,
 * where they are few, by other words that stand for it: irregular forms, and everyday words.
 */
export function searchWordsOf(question: string): string[] {
  const language = detectLanguage(question, '');
  const accented = new Map<string, string>();
  for (const word of question.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    if (fold(word) !== word) accented.set(fold(word), word);
  }
  const words = [...new Set(subjectsOf(question, language).map(({ word }) => word))];
  const hasForms = words.length <= WORDS_WITH_FORMS_MAX;
  return words.slice(0, WORDS_MAX).map((word) => {
    const others = [accented.get(word) ?? '', ...(hasForms ? formsOf(word, language) : [])];
    return [word, ...others].filter(Boolean).join(' ');
  });
}
