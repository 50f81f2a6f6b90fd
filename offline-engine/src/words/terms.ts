import { type Language, languageOf, stem, stopWords } from './language.ts';

const marks = /[\u0300-\u036f]/g;
/**
 * Scripts written without spaces (and Korean, whose particles cling to the words) are matched by
 * pairs of characters.
 */
const dense =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const denseRuns = new RegExp(`${dense.source}+`, 'gu');
const wordsPattern = /[\p{L}\p{M}\p{N}]+/gu;
/**
 * Small words of Chinese and Japanese: a run of characters ends at them. Hiragana alone is grammar.
 */
const denseSmallWords =
  /\p{Script=Hiragana}+|什么|怎么|多少|多久|如何|哪里|哪些|可以|能否|需要|请问|是否|何日|何時|何人|[的了吗呢吧是在和与或我你您他们有没几何请把被]/gu;
const wordLengthMax = 60;
const plainText = /^\p{ASCII}*$/u;

/** Lower case, compatibility forms unified, Latin and Cyrillic accents off. */
export function fold(text: string): string {
  if (plainText.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(marks, '')
    .normalize('NFC')
    .replaceAll('ß', 'ss');
}

/** Folded words in their order, without those in dense scripts. */
function plainWords(folded: string): string[] {
  return folded.replace(denseRuns, ' ').match(wordsPattern) ?? [];
}

/** Pairs of neighbouring characters; a lone character stands for itself. */
export function densePairsIn(folded: string): string[] {
  if (!dense.test(folded)) return [];
  const runs = folded.match(denseRuns) ?? [];
  const parts = runs.flatMap((run) => run.replace(denseSmallWords, ' ').split(' ')).filter(Boolean);
  return parts.flatMap((part) => {
    const chars = Array.from(part);
    if (chars.length < 2) return chars;
    return chars.slice(1).map((char, at) => `${chars[at]}${char}`);
  });
}

/** Every word of a text, small ones too, folded but not stemmed. */
export const wordsIn = (text: string): string[] => plainWords(fold(text));

/**
 * The language of a question, else of the articles, else English: it decides stop words and stems.
 */
export function detectLanguage(question: string, articles: string): Language {
  return languageOf(wordsIn(question)) ?? languageOf(wordsIn(articles)) ?? 'en';
}

/** A subject word of a text, and the term that stands for all its forms. */
export type Subject = { word: string; term: string };

export type TermsOfText = {
  /** In their order and with repetitions. */
  readonly subjects: readonly Subject[];
  /** The small words, stemmed: they say little, but may be all that two texts share. */
  readonly small: ReadonlySet<string>;
};

/** All words of a text, by how much they say about its subject. */
export function readTerms(text: string, language: Language): TermsOfText {
  const folded = fold(text);
  const stops = stopWords[language];
  const subjects: Subject[] = [];
  const small = new Set<string>();
  for (const word of plainWords(folded)) {
    if (stops.has(word)) small.add(stem(word, language));
    else if (word.length > 1 || /\p{N}/u.test(word)) {
      subjects.push({ word, term: stem(word.slice(0, wordLengthMax), language) });
    }
  }
  for (const pair of densePairsIn(folded)) subjects.push({ word: pair, term: pair });
  return { subjects, small };
}

/** The subject words of a text in their order and with repetitions. */
export const subjectsOf = (text: string, language: Language): readonly Subject[] =>
  readTerms(text, language).subjects;

/** The terms of the subject words of a text. */
export const termsOf = (text: string, language: Language): string[] =>
  subjectsOf(text, language).map(({ term }) => term);

type Candidate = { readonly id: string; readonly text: string };

/**
 * The one whose text shares the most different words with the request, the first of several; null
 * where there is none to choose from.
 */
export function chooseFitting(request: string, candidates: readonly Candidate[]): string | null {
  const language = detectLanguage(request, candidates.map(({ text }) => text).join('\n'));
  const asked = new Set(termsOf(request, language));
  let best: { id: string; shared: number } | null = null;
  for (const { id, text } of candidates) {
    const shared = new Set(termsOf(text, language).filter((term) => asked.has(term))).size;
    if (!best || shared > best.shared) best = { id, shared };
  }
  return best?.id ?? null;
}
