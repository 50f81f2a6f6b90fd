import {
  atLeast,
  type Hits,
  hitsOf,
  type IndexedPassage,
  type IndexedSentence,
  type Matcher,
  scaled,
  share,
  sum,
} from './passage-index.ts';
import type { Question } from './question.ts';
import { quoteAt } from './quote.ts';
import { holdsWanted, isKindWord, isNumberTerm } from './wanted.ts';

const sentencesMax = 3;
/** A place without the kind of words that the question wants: less good, and hardly an answer. */
const wantedMissing = { score: 0.8, coverage: 0.6 };
/** A place that says nothing of the very thing that is asked for. */
const focusMissed = 0.7;
/** What is met beside the sentences counts for less: in the heading, the title, the article. */
const besideWeights = { heading: 0.8, title: 0.85, article: 0.4, nameInArticle: 0.8 };
const kindWeight = 0.7;
/** A term that is met no better than this, in the article or beside it, is not met. */
const metMin = 0.3;
const smallWeight = 0.2;

/** A question, and how much each of its words counts. */
export type Weighing = {
  question: Question;
  matcher: Matcher;
  weights: number[];
  total: number;
  /** The rarity of the question's small words. */
  small: Map<string, number>;
};

/** One to three sentences of a passage, or a short list. */
export type Place = {
  /** Literal text of the passage. */
  quote: string;
  /** Share of the question's weight that the quote meets, its heading and title helping: 0 to 1. */
  coverage: number;
  /** Compares the places of one question; of no meaning beside it. */
  score: number;
  /** Share of the question's weight that is met neither here nor beside it. */
  unmet: number;
  /** The subject words of the sentences quoted. */
  words: number;
  /** It holds the kind of words that the question wants. */
  isOfKind: boolean;
  /** Share of the question's names that are met neither here nor beside it. */
  unnamed: number;
};

/** Looks at every run of one to three sentences; a longer run must meet clearly more to win. */
export function bestPlace(passage: IndexedPassage, inArticle: Hits, weighing: Weighing): Place {
  const { question, matcher, weights } = weighing;
  const around = hitsAround(passage, inArticle, weighing);
  const kind = question.terms.map((term) => (isKindWord(question.wanted, term) ? kindWeight : 0));
  const hits = passage.sentences.map((sentence) => hitsOf(sentence.terms, matcher));
  let best: Place = {
    quote: '',
    coverage: 0,
    score: Number.NEGATIVE_INFINITY,
    unmet: 1,
    words: 0,
    isOfKind: false,
    unnamed: 1,
  };
  hits.forEach((_, from) => {
    let own: Hits = matcher.terms.map(() => 0);
    for (let to = from; to < Math.min(from + sentencesMax, hits.length); to += 1) {
      own = atLeast(own, hits[to] as Hits);
      const quote = quoteAt(passage.text, passage.sentences, from, to);
      const fits = holdsWanted(question.wanted, quote);
      const met = atLeast(atLeast(own, around), fits ? kind : around);
      const all = share(met, weights);
      const score =
        all * (fits ? 1 : wantedMissing.score) +
        0.05 * share(own, weights) +
        0.1 * phraseShare(passage, from, to, question.terms) +
        smallShare(passage.sentences.slice(from, to + 1), weighing) -
        0.05 * (to - from);
      if (score <= best.score) continue;
      const meetsFocus = isFocused(question, matcher, met, passage, [from, to]);
      const coverage = all * (fits ? 1 : wantedMissing.coverage) * (meetsFocus ? 1 : focusMissed);
      const words = sum(passage.sentences.slice(from, to + 1).map((one) => one.terms.length));
      const unmet = shareUnmet(met, weights);
      const unnamed = shareUnnamed(met, question);
      best = { quote, coverage, score, unmet, words, isOfKind: fits, unnamed };
    }
  });
  return best;
}

function hitsAround(
  { heading, title }: IndexedPassage,
  inArticle: Hits,
  { question, matcher }: Weighing,
): Hits {
  const beside = atLeast(
    scaled(hitsOf(heading, matcher), besideWeights.heading),
    scaled(hitsOf(title, matcher), besideWeights.title),
  );
  return beside.map((hit, at) => {
    const isName = question.names.has(question.terms[at] as string);
    const weight = isName ? besideWeights.nameInArticle : besideWeights.article;
    return Math.max(hit, weight * (inArticle[at] ?? 0));
  });
}

function shareUnmet(met: Hits, weights: number[]): number {
  const reached = met.map((hit) => (hit < metMin ? 0 : 1));
  return 1 - share(reached, weights);
}

function shareUnnamed(met: Hits, { terms, names }: Question): number {
  if (names.size === 0) return 0;
  return 1 - sum(met.filter((_, at) => names.has(terms[at] as string))) / names.size;
}

/** How much the small words of the question that stand in the sentences add. */
function smallShare(sentences: IndexedSentence[], { small, total }: Weighing): number {
  const found = [...small].filter(([word]) => sentences.some((one) => one.small.has(word)));
  return total === 0 ? 0 : (smallWeight * sum(found.map(([, rare]) => rare))) / total;
}

/** How many subject words may stand between a number and what it counts. */
const countedWithin = 3;

/** What is counted ("how many witnesses") stands beside its number. */
function isFocused(
  { focus, wanted }: Question,
  matcher: Matcher,
  met: Hits,
  { text, sentences }: IndexedPassage,
  [from, to]: [number, number],
): boolean {
  if (focus === null) return true;
  if (wanted !== 'number') return (met[focus] as number) > 0;
  return sentences.slice(from, to + 1).some(({ start, end, terms }) => {
    const isFocus = (term: string) =>
      (matcher.standsFor.get(term) ?? []).some((one) => one.term === focus);
    const counted = terms.flatMap((term, at) => (isFocus(term) ? [at] : []));
    const numbers = terms.flatMap((term, at) => (isNumberTerm(term) ? [at] : []));
    if (numbers.length === 0)
      return counted.length > 0 && holdsWanted(wanted, text.slice(start, end));
    return numbers.some((number) =>
      counted.some((at) => at !== number && Math.abs(at - number) <= countedWithin),
    );
  });
}

/**
 * How many neighbouring terms of the question are neighbours in the quoted sentences too: 0 to 1.
 */
function phraseShare(passage: IndexedPassage, from: number, to: number, terms: string[]): number {
  if (terms.length < 2) return 0;
  const pairs = new Set<string>();
  for (let at = from; at <= to; at += 1) {
    const words = passage.sentences[at]?.terms ?? [];
    for (let word = 1; word < words.length; word += 1)
      pairs.add(`${words[word - 1]} ${words[word]}`);
  }
  const met = terms.slice(1).filter((term, at) => pairs.has(`${terms[at]} ${term}`)).length;
  return met / (terms.length - 1);
}
