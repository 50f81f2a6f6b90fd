import { sentenceSpans } from '../sentences.ts';
import type { Language } from './stop-words.ts';
import { fold, smallWordsOf, subjectsOf, termsOf } from './terms.ts';
import { type Wanted, wantedBy } from './wanted.ts';

export type Question = {
  text: string;
  /** Subject terms, each once; an answer has to cover them. */
  terms: string[];
  /** The same as the person wrote them, in the order of the terms. */
  words: string[];
  /** Terms of what was said around the question: they help to choose between passages, no more. */
  context: string[];
  /** The terms that name somebody or something: written with a capital within the sentence. */
  names: Set<string>;
  /** Small words of the question, each once. */
  small: string[];
  wanted: Wanted | null;
  /** The term of the thing that is asked for: which of `terms`, where the wording tells. */
  focus: number | null;
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
  const words = [...subjects.values()];
  return {
    text,
    terms,
    words,
    context,
    names: namesIn(text, language),
    small: [...new Set(smallWordsOf(text, language))],
    wanted: wantedBy(text),
    focus: focusOf(text, terms, language),
  };
}

/** German writes every noun with a capital, so there it tells nothing. */
function namesIn(text: string, language: Language): Set<string> {
  if (language === 'de') return new Set();
  const later = text.trim().split(/\s+/).slice(1);
  const capitals = later.filter((word) => /^\P{L}*\p{Lu}/u.test(word));
  return new Set(termsOf(capitals.join(' '), language));
}

/** "What is the …", "which …", "how many …": the noun that stands next is what is asked for. */
const asksForThing = new RegExp(
  '^(?:(?:and|in|on|at|for|from|to|by|of|under) )?(?:' +
    [
      '(?:what|which) (?:is|are|was|were) the ',
      '(?:what|which) (?!(?:is|are|was|were|do|does|did|has|have|had|happens?|happened)\\b)',
      'how (?:many|much) (?!(?:is|are|was|were|do|does|did|has|have|had)\\b)',
      'was ist d(?:er|ie|as) |welche[rsmn]? |wie viele? |combien de ',
      "quel(?:le)?s? (?:(?:est|sont) l(?:es? |a |['’]))?",
    ].join('|') +
    ')(?:(?:name|number|amount|kind|type|sort|share|part)s? of (?:the |an? )?)*',
  'u',
);
/** The noun ends where a small word stands. */
const nounEnd = new RegExp(
  ' (?:of|in|on|for|to|at|from|that|who|by|with|under|an?|the|is|are|was|were|do|does|did|can' +
    '|could|may|might|must|should|will|would|has|have|had|de[rsmn]?|die|das|hat|ist|sind|est' +
    '|sont|du|la|les?)(?= )|[?!.,;:]',
  'u',
);

function focusOf(text: string, terms: string[], language: Language): number | null {
  const folded = fold(text.trim());
  const asking = asksForThing.exec(folded)?.[0];
  if (asking === undefined) return null;
  const noun = folded.slice(asking.length).split(nounEnd)[0] ?? '';
  const at = terms.indexOf(termsOf(noun, language).at(-1) ?? '');
  return at === -1 ? null : at;
}

function unique(terms: string[]): string[] {
  return [...new Set(terms)].slice(0, termsMax);
}
