import type { Passage } from '../engine.ts';
import { type Span, sentenceSpans } from '../sentences.ts';
import { similarity, weights } from './similar.ts';
import type { Language } from './stop-words.ts';
import { smallWordsOf, termsOf } from './terms.ts';

export type IndexedSentence = Span & { terms: string[]; small: Set<string> };

export type IndexedPassage = {
  passage: Passage;
  text: string;
  sentences: IndexedSentence[];
  heading: string[];
  title: string[];
  length: number;
};

/**
 * Passages come cut to 1,500 characters; what is longer was not made by us and is read this far.
 */
const textLengthMax = 4_000;

export function indexPassage(passage: Passage, language: Language): IndexedPassage {
  const text = passage.text.slice(0, textLengthMax);
  const sentences = sentenceSpans(text).map((span) => {
    const sentence = text.slice(span.start, span.end);
    const small = new Set(smallWordsOf(sentence, language));
    return { ...span, terms: termsOf(sentence, language), small };
  });
  return {
    passage,
    text,
    sentences,
    heading: termsOf(passage.heading ?? '', language),
    title: termsOf(passage.articleTitle, language),
    length: sentences.reduce((sum, sentence) => sum + sentence.terms.length, 0),
  };
}

/** How well each term of a question is met: from 0 to 1, in the order of the terms. */
export type Hits = number[];

/** Tells for a word of the articles which terms of the question it stands for. */
export type Matcher = {
  terms: string[];
  standsFor: Map<string, { term: number; weight: number }[]>;
};

/** Other spellings of a term count as slips only where the articles do not have the term itself. */
export function matcherFor(terms: string[], vocabulary: Set<string>, language: Language): Matcher {
  const standsFor: Matcher['standsFor'] = new Map();
  terms.forEach((asked, term) => {
    const known = vocabulary.has(asked);
    for (const found of vocabulary) {
      const weight = similarity(asked, found, language);
      if (weight === 0 || (known && weight === weights.typo)) continue;
      const list = standsFor.get(found) ?? [];
      list.push({ term, weight });
      standsFor.set(found, list);
    }
  });
  return { terms, standsFor };
}

export function hitsOf(words: string[], matcher: Matcher): Hits {
  const hits = matcher.terms.map(() => 0);
  for (const word of words) {
    for (const { term, weight } of matcher.standsFor.get(word) ?? []) {
      hits[term] = Math.max(hits[term] as number, weight);
    }
  }
  return hits;
}

/** The sum of the weights of all words that stand for each term. */
export function frequenciesOf(words: string[], matcher: Matcher): Hits {
  const sums = matcher.terms.map(() => 0);
  for (const word of words) {
    for (const { term, weight } of matcher.standsFor.get(word) ?? []) {
      sums[term] = (sums[term] as number) + weight;
    }
  }
  return sums;
}

export function vocabularyOf(passages: IndexedPassage[]): Set<string> {
  const vocabulary = new Set<string>();
  for (const { sentences, heading, title } of passages) {
    for (const { terms } of sentences) for (const term of terms) vocabulary.add(term);
    for (const term of heading) vocabulary.add(term);
    for (const term of title) vocabulary.add(term);
  }
  return vocabulary;
}

/** The weight of the terms that are met, as a share of the weight of all: 0 to 1. */
export function share(hits: Hits, weights: number[]): number {
  const total = sum(weights);
  return total === 0 ? 0 : sum(hits.map((hit, term) => hit * (weights[term] as number))) / total;
}

export function scaled(hits: Hits, factor: number): Hits {
  return hits.map((hit) => hit * factor);
}

/** The better of two hits, term by term. */
export function atLeast(one: Hits, other: Hits): Hits {
  return one.map((hit, term) => Math.max(hit, other[term] as number));
}

export function sum(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
