import type { Passage } from '@tallyhand/agent-runtime/engine';
import { inTransaction } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';

const PASSAGES_MAX = 40;
/** How many of the best by words are looked at for likeness, which costs far more. */
const RANKED_MAX = 200;
const QUESTION_MAX = 2_000;

/**
 * The passages that fit a question best, among the articles that an agent may use: those assigned
 * to it and the organization's public ones. Words are stemmed; trigrams catch what is misspelt.
 */
export function searchPassages(
  pool: pg.Pool,
  organizationId: string,
  assigned: readonly string[],
  question: string,
): Promise<Passage[]> {
  return inTransaction(pool, async (client) => {
    await client.query(`select set_config('tallyhand.organization_id', $1, true)`, [
      organizationId,
    ]);
    const { rows } = await client.query<Passage>(SEARCH, [
      organizationId,
      assigned,
      question.slice(0, QUESTION_MAX),
      PASSAGES_MAX,
      RANKED_MAX,
    ]);
    return rows;
  });
}

/** Any word of the question may match: the rank, not the match, decides. */
const SEARCH = `
  with question as (
    select nullif(replace(plainto_tsquery('english', $3)::text, ' & ', ' | '), '')::tsquery
      as stems,
      nullif(replace(plainto_tsquery('simple', $3)::text, ' & ', ' | '), '')::tsquery as words),
  ranked as (
    select p.article_id, p.version, a.title, p.ordinal, p.heading, p.text,
      coalesce(ts_rank_cd(p.search, question.stems || question.words, 1), 0)
        + coalesce(ts_rank_cd(p.search, question.stems, 1), 0) as rank
    from question, read_model.articles a
    join read_model.passages p on p.article_id = a.article_id and p.version = a.version
    where a.organization_id = $1 and a.deleted_at is null
      and (a.is_public or a.article_id = any($2))
    order by rank desc, p.article_id, p.ordinal limit $5)
  select article_id as "articleId", version as "articleVersion", title as "articleTitle",
    ordinal, heading, text
  from ranked
  order by rank
      + 0.3 * extensions.word_similarity(left($3, 300), coalesce(heading, '') || ' ' || text) desc,
    article_id, ordinal
  limit $4`;
