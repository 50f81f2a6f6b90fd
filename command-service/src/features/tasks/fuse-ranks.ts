import type { Passage } from '@tallyhand/agent-runtime/engine';
import type { RankedPassage } from '@tallyhand/offline-engine/answers/evidence';

/**
 * The constant of reciprocal rank fusion: higher values flatten the difference between ranks. Chosen
 * with the weight of words by `npm run bench -- retrieval`: questions in another language find their
 * passage among the first three, and vectors of a bad model do not hide what words find.
 */
const RANK_SMOOTHING = 3;

/**
 * Reciprocal rank fusion: a passage that both lists have comes before one that a single list has at
 * the same rank. A passage with few words of the question counts less: words of another language meet
 * some by chance.
 */
export function fusedRanks(
  byWords: readonly RankedPassage[],
  byMeaning: readonly Passage[],
): Passage[] {
  if (byMeaning.length === 0) return byWords.map(({ passage }) => passage);
  const scores = new Map<string, { readonly passage: Passage; score: number }>();
  const whole = byMeaning.map((passage) => ({ passage, coverage: 1 }));
  for (const list of [whole, byWords]) {
    for (const [rank, { passage, coverage }] of list.entries()) {
      const { articleId, articleVersion, ordinal } = passage;
      const key = `${articleId} ${articleVersion} ${ordinal}`;
      const known = scores.get(key) ?? { passage, score: 0 };
      scores.set(key, {
        passage,
        score: known.score + Math.cbrt(coverage) / (RANK_SMOOTHING + rank),
      });
    }
  }
  return [...scores.values()].sort((a, b) => b.score - a.score).map(({ passage }) => passage);
}
