import type { Passage } from '@tallyhand/agent-runtime/engine';

/** The constant of reciprocal rank fusion: higher values flatten the difference between ranks. */
const RANK_SMOOTHING = 20;

/**
 * Reciprocal rank fusion: a passage that both lists have comes before one that a single list has at
 * the same rank.
 */
export function fusedRanks(byWords: readonly Passage[], byMeaning: readonly Passage[]): Passage[] {
  if (byMeaning.length === 0) return [...byWords];
  const scores = new Map<string, { readonly passage: Passage; score: number }>();
  for (const list of [byMeaning, byWords]) {
    for (const [rank, passage] of list.entries()) {
      const { articleId, articleVersion, ordinal } = passage;
      const key = `${articleId} ${articleVersion} ${ordinal}`;
      const known = scores.get(key) ?? { passage, score: 0 };
      scores.set(key, { passage, score: known.score + 1 / (RANK_SMOOTHING + rank) });
    }
  }
  return [...scores.values()].sort((a, b) => b.score - a.score).map(({ passage }) => passage);
}
