import { sentenceSpans } from '../sentences.ts';
import type { Language } from './stop-words.ts';
import { subjectsOf, termsOf } from './terms.ts';
import { type Wanted, wantedBy } from './wanted.ts';

export type Question = {
  text: string;
  /** Subject terms, each once; an answer has to cover them. */
  terms: string[];
  /** The same as the person wrote them, in the order of the terms. */
  words: string[];
  /** Terms of what was said around the question: they help to choose between passages, no more. */
  context: string[];
  wanted: Wanted | null;
};

const inputLengthMax = 32_000;
const questionsMax = 4;
const statementsMax = 12;
const termsMax = 24;
const wordShownMax = 40;
/** An instruction with more subjects than this is read sentence by sentence. */
const termsOfOneInstruction = 10;

/**
 * What the input asks: its sentences with a question mark; else the whole of a short input, or each
 * sentence of a long one. Empty when the input holds no subject words.
 */
export function questionsOf(input: string, language: Language): Question[] {
  const text = input.slice(0, inputLengthMax);
  const sentences = sentenceSpans(text).map((span) => text.slice(span.start, span.end));
  const asked = sentences.filter((sentence) => /[?？؟]/.test(sentence));
  if (asked.length > 0) {
    const said = sentences.filter((sentence) => !asked.includes(sentence)).join('\n');
    const context = unique(termsOf(said, language));
    const questions = [...new Set(asked)]
      .map((one) => questionOf(one, context, language))
      .filter((question) => question.terms.length > 0);
    if (questions.length > 0) return questions.slice(0, questionsMax);
  }
  const whole = questionOf(text, [], language);
  if (whole.terms.length <= termsOfOneInstruction || sentences.length === 1) {
    return whole.terms.length > 0 ? [whole] : [];
  }
  return sentences
    .slice(0, statementsMax)
    .map((one) => questionOf(one, whole.terms, language))
    .filter((question) => question.terms.length > 1);
}

function questionOf(text: string, context: string[], language: Language): Question {
  const subjects = new Map<string, string>();
  for (const { word, term } of subjectsOf(text, language)) {
    if (!subjects.has(term) && subjects.size < termsMax)
      subjects.set(term, word.slice(0, wordShownMax));
  }
  const terms = [...subjects.keys()];
  return { text, terms, words: [...subjects.values()], context, wanted: wantedBy(text) };
}

function unique(terms: string[]): string[] {
  return [...new Set(terms)].slice(0, termsMax);
}
