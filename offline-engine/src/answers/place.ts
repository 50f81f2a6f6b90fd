import {
  atLeast,
  type Hits,
  hitsOf,
  type IndexedPassage,
  type IndexedSentence,
  type Matcher,
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
export function bestPlace(passage: IndexedPassage, inArticle: Hits, weighing: Weighing): Place {
  const { question, matcher, weights } = weighing;
  const around = hitsAround(passage, inArticle, weighing);
  const hits = passage.sentences.map(({ terms }) => hitsOf(terms, matcher));
  let best: Place = { ...NONE, score: Number.NEGATIVE_INFINITY };
  hits.forEach((_, from) => {
    let own: Hits = matcher.terms.map(() => 0);
    for (let to = from; to < Math.min(from + SENTENCES_MAX, hits.length); to += 1) {
      own = atLeast(own, hits[to] as Hits);
      const sentences = passage.sentences.slice(from, to + 1);
      const met = atLeast(own, around);
      const all = share(met, weights);
      const small = smallShare(sentences, weighing);
      const scoreWith = (factor: number) => all * factor + small - 0.05 * (to - from);
      // What can't win needs no quote.
      if (scoreWith(1) <= best.score) continue;
      const quote = quoteAt(passage.text, passage.sentences, from, to);
      const fits = holdsWanted(question.wanted, quote);
      const score = scoreWith(fits ? 1 : WANTED_MISSING.score);
      if (score <= best.score) continue;
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
            met.map((hit) => (hit < MET_MIN ? 0 : 1)),
            weights,
          ),
        words: sum(sentences.map(({ terms }) => terms.length)),
        isOfKind: fits,
      };
    }
  });
  return best;
}

function hitsAround(passage: IndexedPassage, inArticle: Hits, { matcher }: Weighing): Hits {
  const heading = hitsOf(passage.heading, matcher);
  const title = hitsOf(passage.title, matcher);
  return matcher.terms.map((_, at) =>
    Math.max(
      BESIDE.heading * (heading[at] ?? 0),
      BESIDE.title * (title[at] ?? 0),
      BESIDE.article * (inArticle[at] ?? 0),
    ),
  );
}

/** How much the small words of the question that stand in the sentences add. */
function smallShare(sentences: IndexedSentence[], { small, weights }: Weighing): number {
  const isFound = (word: string) => sentences.some((one) => one.small.has(word));
  const found = sum([...small].map(([word, rarity]) => (isFound(word) ? rarity : 0)));
  const total = sum(weights);
  return total === 0 ? 0 : (SMALL_WEIGHT * found) / total;
}

/** Whether a number stands near what the question counts. */
function isCounted(sentences: IndexedSentence[], { question, matcher }: Weighing): boolean {
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
