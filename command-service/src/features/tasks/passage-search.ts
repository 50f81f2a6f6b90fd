import type { Passage } from '@tallyhand/agent-runtime/engine';
import type { Embedder } from '@tallyhand/agent-runtime/openai/embeddings';
import { rankPassages } from '@tallyhand/offline-engine/answers/rank-passages';
import { searchWordsOf } from '@tallyhand/offline-engine/words/search-words';
import type pg from 'pg';
import { fuseWithMeaning } from './passage-meaning.ts';

/** How many of the best by their words are looked at sentence by sentence, which costs more. */
const CANDIDATES_MAX = 100;
const PASSAGES_MAX = 40;
const QUESTION_MAX = 2_000;

/**
 * The passages that fit a question best, best first, 40 at most, among the articles that an agent
 * may use: those assigned to it and the organization's public ones. Words are stemmed as their
 * language has it; trigrams catch what is misspelt; with an embedder meaning counts more than words.
 */
export async function searchPassages(
  pool: pg.Pool,
  organizationId: string,
  assigned: readonly string[],
  input: string,
  embedder: Embedder | null = null,
): Promise<Passage[]> {
  const question = input.slice(0, QUESTION_MAX);
  const words = searchWordsOf(question);
  if (words.length === 0) return [];
  const { rows: candidates } = await pool.query<Passage>({
    name: 'find-passages',
    text: SEARCH,
    values: [organizationId, words, assigned, CANDIDATES_MAX],
  });
  const ranked = rankPassages(question, candidates);
  const best = embedder
    ? await fuseWithMeaning(pool, embedder, organizationId, question, ranked)
    : ranked;
  return best.slice(0, PASSAGES_MAX);
}

/**
 * One round trip: the organization is set for this statement alone, and the search, which asks for
 * what was set, can't come before it.
 */
const SEARCH = `
  select article_id as "articleId", version as "articleVersion", title as "articleTitle",
    ordinal, heading, text
  from (select set_config('tallyhand.organization_id', $1, true) as mine) own
  cross join lateral read_model.find_passages($2, $3, case when own.mine <> '' then $4::int end)`;
