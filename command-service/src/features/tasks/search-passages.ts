import type { Passage } from '@tallyhand/agent-runtime/engine';
import { type RankedPassage, rankPassages } from '@tallyhand/offline-engine/answers/evidence';
import { searchWordsOf } from '@tallyhand/offline-engine/words/search-words';
import type pg from 'pg';
import { cosine, signsOf, vectorIn } from '../../kit/vectors.ts';
import { fusedRanks } from './fuse-ranks.ts';

/** A question as a vector; `space` names the model, whose vectors alone it can be compared with. */
export type Meaning = { readonly space: string; readonly vector: Float32Array };

/** How many of the best matches are ranked sentence by sentence, which is expensive. */
const CANDIDATES_MAX = 100;
/** How many of the nearest vectors, by their signs, are compared exactly. */
const NEAR_MAX = 200;
const PASSAGES_MAX = 40;
const QUESTION_MAX = 2_000;

type Asked = {
  readonly organizationId: string;
  /** Articles of the agent, beside the organization's public ones. */
  readonly articles: readonly string[];
  readonly question: string;
  /** Null without an embedding model, or while it fails: words alone then find the passages. */
  readonly meaningOf?: ((question: string) => Promise<Meaning | null>) | undefined;
};

/**
 * At most 40 passages that fit a question, best first, of the articles that an agent may use. Words
 * are stemmed by language, and trigrams match misspellings. Meaning finds other words and other
 * languages.
 */
export async function searchPassages(pool: pg.Pool, asked: Asked): Promise<Passage[]> {
  const question = asked.question.slice(0, QUESTION_MAX);
  const [byWords, byMeaning] = await Promise.all([
    passagesByWords(pool, { ...asked, question }),
    passagesByMeaning(pool, { ...asked, question }),
  ]);
  return fusedRanks(byWords, byMeaning).slice(0, PASSAGES_MAX);
}

/** The passages with words of the question, at most 100, and how much of it they meet. */
export async function passagesByWords(
  pool: pg.Pool,
  { organizationId, articles, question }: Asked,
): Promise<RankedPassage[]> {
  const words = searchWordsOf(question);
  if (words.length === 0) return [];
  const { rows } = await pool.query<Passage>({
    name: 'find-passages',
    text: inOrganization((max) => `find_passages($3, $4, ${max})`),
    values: [organizationId, CANDIDATES_MAX, words, articles],
  });
  return rankPassages(question, rows);
}

/** The passages whose vectors are closest to the question's, at most 40. */
export async function passagesByMeaning(
  pool: pg.Pool,
  { organizationId, articles, question, meaningOf }: Asked,
): Promise<Passage[]> {
  if (!meaningOf || !/[\p{L}\p{N}]/u.test(question)) return [];
  const meaning = await meaningOf(question);
  if (!meaning) return [];
  const { space, vector } = meaning;
  const { rows } = await pool.query<Passage & { readonly vector: Buffer }>({
    name: 'find-near-passages',
    text: inOrganization((max) => `find_near_passages($3, $4, $5, $6, ${max})`, ', vector'),
    values: [organizationId, NEAR_MAX, space, signsOf(vector), [...vector], articles],
  });
  return rows
    .map(({ vector: bytes, ...passage }) => ({
      passage,
      likeness: cosine(vector, vectorIn(bytes)),
    }))
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, PASSAGES_MAX)
    .map(({ passage }) => passage);
}

/** One round trip: the search depends on the setting, so it can't be evaluated before it. */
const inOrganization = (search: (max: string) => string, more = '') => `
  select article_id as "articleId", version as "articleVersion", title as "articleTitle",
    ordinal, heading, text${more}
  from (select set_config('tallyhand.organization_id', $1, true) as mine) own
  cross join lateral read_model.${search(`case when own.mine <> '' then $2::int end`)}`;
