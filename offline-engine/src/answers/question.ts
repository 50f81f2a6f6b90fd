import { sentenceSpans } from '@tallyhand/agent-runtime/sentences';
import { type Language, stem } from '../words/language.ts';
import { fold, readTerms } from '../words/terms.ts';
import { type Wanted, wantedBy } from './wanted.ts';

export type Question = {
  text: string;
  /** Subject terms, each once. An answer has to meet them. */
  terms: string[];
  /** The same as they are written, in the order of the terms. */
  words: string[];
  /** Small words of the question, each once. */
  small: string[];
  wanted: Wanted | null;
  /** Which term the question counts ("how many witnesses"); -1 for none. */
  counted: number;
};

const INPUT_LENGTH_MAX = 32_000;
const QUESTIONS_MAX = 4;
const STATEMENTS_MAX = 12;
const TERMS_MAX = 24;
/** Each is a bit of a number. */
const SMALL_MAX = 30;
const WORD_SHOWN_MAX = 40;
/** An instruction with more subjects than this is read sentence by sentence. */
const TERMS_OF_ONE_INSTRUCTION = 10;

export const isQuestion = (text: string): boolean => /[?？؟]/.test(text);

/**
 * What the input asks: its sentences with a question mark; else the whole of a short input, or each
 * sentence of a long one. Empty when the input has no subject words.
 */
export function questionsOf(input: string, language: Language): Question[] {
  const text = input.slice(0, INPUT_LENGTH_MAX);
  const sentences = sentenceSpans(text).map((span) => text.slice(span.start, span.end));
  const questions = [...new Set(sentences.filter(isQuestion))]
    .map((one) => questionOf(one, language))
    .filter(({ terms }) => terms.length > 0);
  if (questions.length > 0) return questions.slice(0, QUESTIONS_MAX);
  const whole = questionOf(text, language);
  if (whole.terms.length <= TERMS_OF_ONE_INSTRUCTION || sentences.length === 1) {
    return whole.terms.length > 0 ? [whole] : [];
  }
  return sentences
    .slice(0, STATEMENTS_MAX)
    .map((one) => questionOf(one, language))
    .filter(({ terms }) => terms.length > 1);
}

function questionOf(text: string, language: Language): Question {
  const { subjects: read, small } = readTerms(text, language);
  const subjects = new Map<string, string>();
  for (const { word, term } of read) {
    if (subjects.size < TERMS_MAX && !subjects.has(term)) subjects.set(term, word);
  }
  const terms = [...subjects.keys()];
  const counted = COUNTING.exec(fold(text))?.[1] ?? '';
  return {
    text,
    terms,
    words: [...subjects.values()].map((word) => word.slice(0, WORD_SHOWN_MAX)),
    small: [...small].slice(0, SMALL_MAX),
    wanted: wantedBy(text),
    counted: terms.indexOf(stem(counted, language)),
  };
}

const COUNTING = /\b(?:how many|wie ?viele|combien d[e'’]|cuant[oa]s|quant[ioae]s?) ?(\p{L}+)/u;
