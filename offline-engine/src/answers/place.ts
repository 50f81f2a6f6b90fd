import {
  atLeast,
  type Hits,
  type IndexedPassage,
  type IndexedSentence,
  type Matcher,
  type Met,
  share,
  sum,
} from './passage-index.ts';
import type { Question } from './question.ts';
import { quoteAt } from './quote.ts';
import { holdsWanted, isNumberTerm } from './wanted.ts';

const SENTENCES_MAX = 3;
/** Factors for a place without the kind of words that the question wants. */
const WANTED_MISSING = { score: 0.8, coverage: 0.6 };
/** A factor for a place that has no number near what the question counts. */
const COUNT_MISSING = 0.7;
/** How many subject words may stand between a number and what it counts. */
const COUNTED_WITHIN = 3;
/** What is met beside the sentences, in the heading, the title or the article, counts for less. */
const BESIDE = { heading: 0.8, title: 0.85, article: 0.4 };
/** A term that is met no better than this, in the article or beside it, is not met. */
const MET_MIN = 0.3;
const SMALL_WEIGHT = 0.2;

/** A question, and how much each of its words counts. */
export type Weighing = {
  question: Question;
  matcher: Matcher;
  weights: number[];
  /** The rarity of the question's small words. */
  small: Map<string, number>;
};

/** One to three sentences of a passage, or a short list. */
export type Place = {
  /** Literal text of the passage. */
  quote: string;
  /** Share of the question's weight that the quote meets, its heading and title helping: 0 to 1. */
  coverage: number;
  /** Compares the places of one question. It has no other meaning. */
  score: number;
  /** Share of the question's weight that is met neither here nor beside it. */
  unmet: number;
  /** The subject words of the quoted sentences. */
  words: number;
  /** It holds the kind of words that the question wants. */
  isOfKind: boolean;
};

const NONE = { quote: '', coverage: 0, unmet: 1, words: 0, isOfKind: false };

/** The best run of one to three sentences. A longer run must meet clearly more to win. */
export function bestPlace(
  passage: IndexedPassage,
  met: Met,
  inArticle: Hits,
  weighing: Weighing,
): Place {
  const { question, weights } = weighing;
  const around = hitsAround(met, inArticle);
  const small = smallWordsOf(passage, weighing);
  let best: Place = { ...NONE, score: Number.NEGATIVE_INFINITY };
  const allAround = share(around, weights);
  const { length } = passage.sentences;
  for (let from = 0; from < length; from += 1) {
    let hits = around;
    let all = allAround;
    let smallMet = 0;
    for (let to = from; to < Math.min(from + SENTENCES_MAX, length); to += 1) {
      const added = met.sentences[to];
      if (added) {
        hits = atLeast(hits, added);
        all = share(hits, weights);
      }
      smallMet |= small.metBy[to] as number;
      const beside = small.shareOf(smallMet) - 0.05 * (to - from);
      // What can't win needs no quote.
      if (all + beside <= best.score) continue;
      const quote = quoteAt(passage.text, passage.sentences, from, to);
      const fits = holdsWanted(question.wanted, quote);
      const score = all * (fits ? 1 : WANTED_MISSING.score) + beside;
      if (score <= best.score) continue;
      const sentences = passage.sentences.slice(from, to + 1);
      best = {
        quote,
        coverage:
          all *
          (fits ? 1 : WANTED_MISSING.coverage) *
          (isCounted(sentences, weighing) ? 1 : COUNT_MISSING),
        score,
        unmet:
          1 -
          share(
            hits.map((hit) => (hit < MET_MIN ? 0 : 1)),
            weights,
          ),
        words: sum(sentences.map(({ terms }) => terms.length)),
        isOfKind: fits,
      };
    }
  }
  return best;
}

function hitsAround({ best, heading, title }: Met, inArticle: Hits): Hits {
  return best.map((_, at) =>
    Math.max(
      BESIDE.heading * (heading[at] ?? 0),
      BESIDE.title * (title[at] ?? 0),
      BESIDE.article * (inArticle[at] ?? 0),
    ),
  );
}

/** Which small words of the question each sentence has, as bits, and how much such bits add. */
function smallWordsOf({ sentences, smallPlaces }: IndexedPassage, weighing: Weighing) {
  const words = [...weighing.small].filter(([word]) => smallPlaces.has(word));
  const total = sum(weighing.weights);
  const metBy = sentences.map(() => 0);
  for (const [at, [word]] of words.entries()) {
    for (const place of smallPlaces.get(word) ?? []) metBy[place] = (metBy[place] ?? 0) | (1 << at);
  }
  const shareOf = (bits: number) => {
    if (bits === 0 || total === 0) return 0;
    let met = 0;
    for (const [at, [, rarity]] of words.entries()) if ((bits >> at) & 1) met += rarity;
    return (SMALL_WEIGHT * met) / total;
  };
  return { metBy, shareOf };
}

/** Whether a number stands near what the question counts. */
function isCounted(
  sentences: readonly IndexedSentence[],
  { question, matcher }: Weighing,
): boolean {
  const { counted } = question;
  if (counted === -1) return true;
  const isCountedTerm = (term: string) =>
    matcher.standsFor.get(term)?.some((one) => one.term === counted) === true;
  return sentences.some(({ terms }) =>
    terms.some((number, at) => {
      const near = terms.slice(Math.max(0, at - COUNTED_WITHIN), at + COUNTED_WITHIN + 1);
      return isNumberTerm(number) && near.some(isCountedTerm);
    }),
  );
}
