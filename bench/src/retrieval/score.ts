import type { Passage } from '@tallyhand/agent-runtime/engine';
import type { Library, Way } from './library.ts';
import type { Half, Question } from './set.ts';

/** Shares from 0 to 1. */
export type Score = {
  readonly first: number;
  readonly amongThree: number;
  /** The mean of 1 / rank of the right passage. */
  readonly reciprocalRank: number;
  /** The answer's first quote is from the right passage. */
  readonly quoted: number;
  readonly saidSo: number;
  /** Questions that went wrong, for the half that may be looked at. */
  readonly misses: readonly string[];
};

/** Asks every question of a half. `saidSo`: of the unanswerable ones, those told to be so. */
export async function scoreOf(half: Half, library: Library, by: Way = 'both'): Promise<Score> {
  const counts = { first: 0, amongThree: 0, reciprocal: 0, quoted: 0, saidSo: 0 };
  const misses: string[] = [];
  for (const question of half.answerable) {
    const passages = await library.find(question.question, by);
    const rank = passages.findIndex((one) => isRight(one, question, library));
    const { sources } = await library.answer(question.question, passages);
    const [best] = sources;
    const source = passages.find(
      ({ articleId, ordinal }) => best?.articleId === articleId && best.ordinal === ordinal,
    );
    const isQuoted = source !== undefined && isRight(source, question, library);
    if (rank === 0) counts.first += 1;
    if (rank >= 0 && rank < 3) counts.amongThree += 1;
    if (rank >= 0) counts.reciprocal += 1 / (rank + 1);
    if (isQuoted) counts.quoted += 1;
    if (rank !== 0 || !isQuoted) {
      const said = best ? `“${best.quote.slice(0, 80)}”` : 'nothing';
      misses.push(`${question.question} rank ${rank + 1}, quoted ${said}`);
    }
  }
  for (const question of half.unanswerable) {
    const passages = await library.find(question, by);
    const { sources } = await library.answer(question, passages);
    if (sources.length === 0) counts.saidSo += 1;
    else misses.push(`${question} answered “${sources[0]?.quote.slice(0, 80)}”`);
  }
  return {
    first: counts.first / half.answerable.length,
    amongThree: counts.amongThree / half.answerable.length,
    reciprocalRank: counts.reciprocal / half.answerable.length,
    quoted: counts.quoted / half.answerable.length,
    saidSo: counts.saidSo / half.unanswerable.length,
    misses,
  };
}

const isRight = (passage: Passage, { article, phrase }: Question, library: Library) =>
  library.textOf(passage.articleId) === article && passage.text.includes(phrase);
