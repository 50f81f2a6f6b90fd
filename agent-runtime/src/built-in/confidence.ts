/** What tells whether the best place that was found answers a question. */
type Signs = {
  /** How far its score leaves the next passage's behind. */
  lead: number;
  /** Share of the question's weight that it meets: 0 to 1. */
  coverage: number;
  /** Share of the question's weight that neither it nor what stands around it meets: 0 to 1. */
  unmet: number;
  /** Subject terms of the question. */
  terms: number;
  /** Subject words of the quote. */
  words: number;
};

const leadMax = 0.4;
const nearlyAll = 0.86;
/**
 * Of a logistic regression over the questions of the tuning half, the development sets and the
 * handbook, rounded; cross-validated in ten parts. What many passages meet alike, none answers; a
 * word of the question that nobody there uses was the very thing asked for; one word found says less
 * than four; and in many words something is met by chance.
 */
const weights = { lead: 4.5, nearlyAll: 0.7, unmet: -3.6, terms: 1.9, words: -0.9, none: -0.2 };

/** Where nine in ten questions without an answer are told to have none. */
export const confidenceWanted = 0.7;

/** How likely it is that the best place answers the question: 0 to 1. */
export function confidenceOf({ lead, coverage, unmet, terms, words }: Signs): number {
  const sum =
    weights.none +
    weights.lead * Math.sqrt(Math.min(lead, leadMax)) +
    (coverage >= nearlyAll ? weights.nearlyAll : 0) +
    weights.unmet * unmet +
    weights.terms * Math.log(terms) +
    weights.words * Math.log(1 + words);
  return 1 / (1 + Math.exp(-sum));
}
