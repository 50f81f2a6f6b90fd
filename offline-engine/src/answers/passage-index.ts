import type { Passage } from '@tallyhand/agent-runtime/engine';
import { type Span, sentenceSpans } from '@tallyhand/agent-runtime/sentences';
import { LRUCache } from 'lru-cache';
import type { Language } from '../words/language.ts';
import { similarity } from '../words/related-words.ts';
import { readTerms, termsOf } from '../words/terms.ts';

export type IndexedSentence = Span & { readonly terms: readonly string[] };

/** The sentences that have a word, once for each time that it stands there. */
type Places = ReadonlyMap<string, readonly number[]>;

/** What does not depend on the question. */
type IndexedText = {
  readonly sentences: readonly IndexedSentence[];
  readonly places: Places;
  /** Of the small words, each once in a sentence. */
  readonly smallPlaces: Places;
  /** The number of terms, with repetitions. */
  readonly length: number;
};

export type IndexedPassage = IndexedText & {
  readonly passage: Passage;
  readonly text: string;
  readonly heading: readonly string[];
  readonly title: readonly string[];
};

/** Passages are cut to 1,500 characters. Of longer ones, from elsewhere, this much is read. */
const TEXT_LENGTH_MAX = 4_000;
const KNOWN_BYTES_MAX = 32 * 1024 * 1024;
/** What is kept of a text, measured with prose. */
const BYTES_OF_CHARACTER = 20;

/**
 * The same passages of articles are ranked for one question after the other. What people attach, and
 * pages, are not kept.
 */
const known = new LRUCache<string, IndexedText, { text: string; language: Language }>({
  maxSize: KNOWN_BYTES_MAX,
  sizeCalculation: (_, key) => key.length * BYTES_OF_CHARACTER,
  memoMethod: (_, __, { context }) => indexText(context.text, context.language),
});

export function indexPassage(passage: Passage, language: Language): IndexedPassage {
  const text = passage.text.slice(0, TEXT_LENGTH_MAX);
  const isOfArticle = passage.articleId !== '' && !passage.isAttachment;
  const indexed = isOfArticle
    ? known.memo(`${language} ${text}`, { context: { text, language } })
    : indexText(text, language);
  return {
    ...indexed,
    passage,
    text,
    heading: termsOf(passage.heading ?? '', language),
    title: termsOf(passage.articleTitle, language),
  };
}

function indexText(text: string, language: Language): IndexedText {
  const places = new Map<string, number[]>();
  const smallPlaces = new Map<string, number[]>();
  let length = 0;
  const sentences = sentenceSpans(text).map((span, at) => {
    const { subjects, small } = readTerms(text.slice(span.start, span.end), language);
    const terms = subjects.map(({ term }) => term);
    for (const term of terms) place(places, term, at);
    for (const word of small) place(smallPlaces, word, at);
    length += terms.length;
    return { ...span, terms };
  });
  return { sentences, places, smallPlaces, length };
}

function place(places: Map<string, number[]>, word: string, sentence: number) {
  const of = places.get(word);
  if (of) of.push(sentence);
  else places.set(word, [sentence]);
}

/** How well each term of a question is met, from 0 to 1, in the order of the terms. */
export type Hits = number[];

/** Which terms of the question a word of the articles stands for. */
export type Matcher = {
  readonly terms: readonly string[];
  readonly standsFor: ReadonlyMap<string, readonly { term: number; weight: number }[]>;
};

export function matcherFor(
  terms: readonly string[],
  vocabulary: ReadonlySet<string>,
  language: Language,
): Matcher {
  const standsFor = new Map<string, { term: number; weight: number }[]>();
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

/** What a passage meets of a question. */
export type Met = {
  /** The best weight of any word, also of the heading and the title. */
  readonly best: Hits;
  /** The sum of the weights of the same words. */
  readonly sums: Hits;
  readonly heading: Hits;
  readonly title: Hits;
  /** Null of those that meet nothing. */
  readonly sentences: readonly (Hits | null)[];
};

export function meet(passage: IndexedPassage, { terms, standsFor }: Matcher): Met {
  const none = () => terms.map(() => 0);
  const [best, sums, heading, title] = [none(), none(), none(), none()];
  const sentences: (Hits | null)[] = passage.sentences.map(() => null);
  for (const [word, meant] of standsFor) {
    const places = passage.places.get(word) ?? [];
    const [inHeading, inTitle] = [timesIn(passage.heading, word), timesIn(passage.title, word)];
    const times = places.length + inHeading + inTitle;
    if (times === 0) continue;
    for (const place of places) sentences[place] ??= none();
    for (const one of meant) {
      raise(best, one);
      sums[one.term] = (sums[one.term] as number) + times * one.weight;
      if (inHeading > 0) raise(heading, one);
      if (inTitle > 0) raise(title, one);
      for (const place of places) raise(sentences[place] as Hits, one);
    }
  }
  return { best, sums, heading, title, sentences };
}

function raise(hits: Hits, { term, weight }: { term: number; weight: number }) {
  hits[term] = Math.max(hits[term] as number, weight);
}

function timesIn(words: readonly string[], word: string): number {
  let times = 0;
  for (const one of words) if (one === word) times += 1;
  return times;
}

/** The weight of the terms that are met, as a share of the weight of all: 0 to 1. */
export function share(hits: Hits, weights: readonly number[]): number {
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

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, one) => total + one, 0);
