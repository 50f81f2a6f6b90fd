/** What tells whether the best place that was found answers a question. */
type Signs = {
  /** How far its score leaves the next passage's behind. */
  lead: number;
  /** Share of the question's weight that it meets: 0 to 1. */
  coverage: number;
  /** Share of the question's weight that neither it nor what stands around it meets: 0 to 1. */
  unmet: number;
  /** It holds the kind of words that the question wants: a sum of money, a time. */
  isOfKind: boolean;
  /** Share of the names in the question that neither it nor what stands around it meets: 0 to 1. */
  unnamed: number;
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
 * word or name of the question that nobody there uses was the very thing asked for; one word found
 * says less than four; and in many words something is met by chance.
 */
const weights = { lead: 4.3, nearlyAll: 0.5, unmet: -3.5, unnamed: -2.1, otherKind: -1.6 };
const counts = { terms: 2, words: -1 };
const constant = 0.2;

/**
 * For a question so much that nine in ten without an answer are told to have none; who gives an
 * instruction, as in the step of a playbook, is helped by what is likely.
 */
export const confidenceWanted = { question: 0.73, instruction: 0.5 };

/** How likely it is that the best place answers the question: 0 to 1. */
export function confidenceOf(signs: Signs): number {
  const sum =
    constant +
    weights.lead * Math.sqrt(Math.min(signs.lead, leadMax)) +
    (signs.coverage >= nearlyAll ? weights.nearlyAll : 0) +
    weights.unmet * signs.unmet +
    weights.unnamed * signs.unnamed +
    (signs.isOfKind ? 0 : weights.otherKind) +
    counts.terms * Math.log(signs.terms) +
    counts.words * Math.log(1 + signs.words);
  return 1 / (1 + Math.exp(-sum));
}
