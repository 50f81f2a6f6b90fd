import type { Passage } from '@tallyhand/agent-runtime/engine';
import { type Span, sentenceSpans } from '@tallyhand/agent-runtime/sentences';
import type { Language } from '../words/language.ts';
import { similarity } from '../words/related-words.ts';
import { readTerms, termsOf } from '../words/terms.ts';

export type IndexedSentence = Span & { terms: string[]; small: ReadonlySet<string> };

export type IndexedPassage = {
  passage: Passage;
  text: string;
  sentences: IndexedSentence[];
  heading: string[];
  title: string[];
  /** All terms: those of the sentences, the heading and the title. */
  terms: string[];
  /** Terms of the sentences alone. */
  length: number;
};

/** Passages are cut to 1,500 characters. Of longer ones, from elsewhere, this much is read. */
const TEXT_LENGTH_MAX = 4_000;

export function indexPassage(passage: Passage, language: Language): IndexedPassage {
  const text = passage.text.slice(0, TEXT_LENGTH_MAX);
  const sentences = sentenceSpans(text).map((span) => {
    const { subjects, small } = readTerms(text.slice(span.start, span.end), language);
    return { ...span, terms: subjects.map(({ term }) => term), small };
  });
  const heading = termsOf(passage.heading ?? '', language);
  const title = termsOf(passage.articleTitle, language);
  const own = sentences.flatMap(({ terms }) => terms);
  const terms = [...own, ...heading, ...title];
  return { passage, text, sentences, heading, title, terms, length: own.length };
}

/** How well each term of a question is met, from 0 to 1, in the order of the terms. */
export type Hits = number[];

/** Which terms of the question a word of the articles stands for. */
export type Matcher = {
  terms: string[];
  standsFor: Map<string, { term: number; weight: number }[]>;
};

export function matcherFor(
  terms: string[],
  vocabulary: ReadonlySet<string>,
  language: Language,
): Matcher {
  const standsFor: Matcher['standsFor'] = new Map();
  terms.forEach((asked, term) => {
    for (const found of vocabulary) {
      const weight = similarity(asked, found, language);
      if (weight === 0) continue;
      const list = standsFor.get(found) ?? [];
      list.push({ term, weight });
      standsFor.set(found, list);
    }
  });
  return { terms, standsFor };
}

/** The best weight of any word for each term. */
export const hitsOf = (words: string[], matcher: Matcher): Hits =>
  collected(words, matcher, Math.max);

/** The sum of the weights of all words for each term. */
export const frequenciesOf = (words: string[], matcher: Matcher): Hits =>
  collected(words, matcher, (sum, weight) => sum + weight);

function collected(
  words: string[],
  { terms, standsFor }: Matcher,
  add: (before: number, weight: number) => number,
): Hits {
  const hits = terms.map(() => 0);
  for (const word of words) {
    const meant = standsFor.get(word);
    if (!meant) continue;
    for (const { term, weight } of meant) hits[term] = add(hits[term] as number, weight);
  }
  return hits;
}

/** The weight of the terms that are met, as a share of the weight of all: 0 to 1. */
export function share(hits: Hits, weights: number[]): number {
  let [met, total] = [0, 0];
  for (let term = 0; term < hits.length; term += 1) {
    const weight = weights[term] as number;
    met += (hits[term] as number) * weight;
    total += weight;
  }
  return total === 0 ? 0 : met / total;
}

/** The better of two hits, term by term. */
export const atLeast = (one: Hits, other: Hits): Hits =>
  one.map((hit, term) => Math.max(hit, other[term] as number));

export const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0);
