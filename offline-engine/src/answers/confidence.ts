import type { Place } from './place.ts';

type Signs = Pick<Place, 'coverage' | 'unmet' | 'words' | 'isOfKind'> & {
  /** How far its score is ahead of the next passage's. */
  lead: number;
  /** Subject terms of the question. */
  terms: number;
};

const leadMax = 0.4;
const nearlyAll = 0.86;
/**
 * Rounded weights of a logistic regression over the questions of the tuning half, the development
 * sets and the handbook, cross-validated in ten parts. A passage that leads the others clearly, meets
 * several terms and leaves no word unmet is likely to answer the question; a long
 * quote meets some words by chance.
 */
const weights = { lead: 4.3, nearlyAll: 0.5, unmet: -3.5, otherKind: -1.6 };
const counts = { terms: 2, words: -1 };
const constant = 0.2;

/**
 * For a question, set so that nine in ten questions without an answer are recognized. An instruction,
 * such as a step of a playbook, is helped by a likely answer.
 */
export const confidenceWanted = { question: 0.73, instruction: 0.5 };

/** How likely it is that the best place answers the question: 0 to 1. */
export function confidenceOf(signs: Signs): number {
  const sum =
    constant +
    weights.lead * Math.sqrt(Math.min(signs.lead, leadMax)) +
    (signs.coverage >= nearlyAll ? weights.nearlyAll : 0) +
    weights.unmet * signs.unmet +
    (signs.isOfKind ? 0 : weights.otherKind) +
    counts.terms * Math.log(signs.terms) +
    counts.words * Math.log(1 + signs.words);
  return 1 / (1 + Math.exp(-sum));
}
