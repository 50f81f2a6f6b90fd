import { createHash } from 'node:crypto';
import type { Passage } from '@tallyhand/agent-runtime/engine';
import { EMBEDDED_TEXTS_MAX, type Embedder } from '@tallyhand/agent-runtime/openai/embeddings';
import { rankPassages } from '@tallyhand/offline-engine/answers/evidence';
import { searchWordsOf } from '@tallyhand/offline-engine/words/search-words';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';

/** The constant of reciprocal rank fusion: higher values flatten the difference between ranks. */
const RANK_SMOOTHING = 20;
/** Meaning is a better signal than equal words. */
const MEANING_WEIGHT = 2;
const KEPT_DAYS = 90;

type Vectors = Map<string, Float32Array>;

/**
 * Ranks passages by words and meaning. Vectors are stored by model and hash of the passage. Missing
 * ones are requested with the question, best passages first, as many as fit into one request. Without
 * an answer the order stays.
 */
export async function fuseWithMeaning(
  pool: pg.Pool,
  embedder: Embedder,
  organizationId: string,
  question: string,
  passages: Passage[],
): Promise<Passage[]> {
  if (passages.length < 2) return passages;
  const texts = new Map(passages.map((passage) => [hashOf(passage), textOf(passage)]));
  const vectors = await keptVectors(pool, embedder.model, organizationId, [...texts.keys()]);
  const missing = [...texts]
    .filter(([hash]) => !vectors.has(hash))
    .slice(0, EMBEDDED_TEXTS_MAX - 1);
  const made = await embedder.embed([question, ...missing.map(([, text]) => text)]);
  const asked = made?.[0];
  if (!asked) return passages;
  const fresh: Vectors = new Map(
    missing.map(([hash], at) => [hash, made[at + 1] as Float32Array] as const),
  );
  if (fresh.size > 0) await keepVectors(pool, embedder.model, organizationId, fresh);
  return fused(passages, asked, new Map([...vectors, ...fresh]));
}

function fused(passages: Passage[], asked: Float32Array, vectors: Vectors): Passage[] {
  const near = passages
    .map((passage) => ({ passage, likeness: likeness(asked, vectors.get(hashOf(passage))) }))
    .sort((a, b) => b.likeness - a.likeness);
  const nearRank = new Map(near.map(({ passage }, at) => [passage, at]));
  return passages
    .map((passage, at) => ({
      passage,
      score:
        1 / (RANK_SMOOTHING + at) +
        MEANING_WEIGHT / (RANK_SMOOTHING + (nearRank.get(passage) ?? passages.length)),
    }))
    .sort((a, b) => b.score - a.score)
    .map(({ passage }) => passage);
}

/** The cosine of two unit vectors; below all others if one is missing. */
function likeness(asked: Float32Array, vector: Float32Array | undefined): number {
  if (vector?.length !== asked.length) return -2;
  return asked.reduce((sum, number, at) => sum + number * (vector[at] as number), 0);
}

const textOf = ({ articleTitle, heading, text }: Passage) =>
  [articleTitle, heading, text].filter(Boolean).join('\n');

const hashOf = (passage: Passage) => createHash('sha256').update(textOf(passage)).digest('hex');

function keptVectors(
  pool: pg.Pool,
  model: string,
  organizationId: string,
  hashes: readonly string[],
): Promise<Vectors> {
  return inTenant(pool, organizationId, async (client) => {
    const { rows } = await client.query<{ hash: string; vector: Buffer }>(
      `select passage_hash as hash, vector from operational.passage_vectors
       where organization_id = $1 and model = $2 and passage_hash = any($3)`,
      [organizationId, model, hashes],
    );
    return new Map(rows.map(({ hash, vector }) => [hash, new Float32Array(copyOf(vector))]));
  });
}

/** A copy that is aligned for numbers of four bytes. */
const copyOf = ({ buffer, byteOffset, byteLength }: Buffer) =>
  buffer.slice(byteOffset, byteOffset + byteLength);

function keepVectors(pool: pg.Pool, model: string, organizationId: string, vectors: Vectors) {
  return inTenant(pool, organizationId, async (client) => {
    await client.query(
      `insert into operational.passage_vectors (organization_id, model, passage_hash, vector)
       select $1, $2, hash, vector from unnest($3::text[], $4::bytea[]) made(hash, vector)
       on conflict do nothing`,
      [
        organizationId,
        model,
        [...vectors.keys()],
        [...vectors.values()].map(({ buffer }) => Buffer.from(buffer)),
      ],
    );
    await client.query(
      `delete from operational.passage_vectors
       where organization_id = $1 and made_at < now() - make_interval(days => $2)`,
      [organizationId, KEPT_DAYS],
    );
  });
}

/** How many of the best matches are ranked sentence by sentence, which is expensive. */
const CANDIDATES_MAX = 100;
const PASSAGES_MAX = 40;
const QUESTION_MAX = 2_000;

/**
 * At most 40 passages that fit a question, best first, of the articles that an agent may use: its
 * assigned ones and the organization's public ones. Words are stemmed by language, trigrams match
 * misspellings, and with an embedder meaning counts more than words.
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

/** One round trip: the search depends on the setting, so it can't be evaluated before it. */
const SEARCH = `
  select article_id as "articleId", version as "articleVersion", title as "articleTitle",
    ordinal, heading, text
  from (select set_config('tallyhand.organization_id', $1, true) as mine) own
  cross join lateral read_model.find_passages($2, $3, case when own.mine <> '' then $4::int end)`;
