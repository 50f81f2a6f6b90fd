import { splitIntoPassages } from '@tallyhand/agent-runtime/passages';
import {
  type ArticleChanged,
  type ArticleEvent,
  articleEvents,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import type { EventOf } from '@tallyhand/contracts/kernel/messages';
import {
  configurationOf,
  searchTextOf,
  vocabularyIn,
} from '@tallyhand/offline-engine/words/search-words';
import { articlesModel } from '@tallyhand/read-models/features/knowledge/knowledge.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { sql } from 'kysely';
import { batchProjection, type Happened, type Helpers, type Tx } from '../../kernel/projection.ts';
import {
  changedRow,
  keepCounts,
  namedColumns,
  newRow,
  readRows,
  writeRows,
} from '../../kernel/rows.ts';

/** Rows per statement. */
const ROWS_MAX = 1_000;

export const articlesProjection = batchProjection({
  model: articlesModel,
  kinds: articleEvents,
  async apply(tx, happened, helpers) {
    const ids = new Set(happened.map(({ event }) => event.data.articleId));
    const articles = await readRows(tx, 'articles', [...ids]);
    const before = [...articles.values()];
    const versions: Row<'articles'>[] = [];
    for (const one of happened) {
      const row = await rowAfter(articles.get(one.event.data.articleId), one, helpers);
      if (!row) continue;
      articles.set(row.article_id, row);
      if (hasTexts(one.event)) versions.push(row);
    }
    const after = [...articles.values()];
    await Promise.all([
      writeRows(tx, 'articles', after),
      keepCounts(tx, 'article_counts', { before, after }, ({ organization_id, deleted_at }) =>
        deleted_at === null ? { organization_id } : null,
      ),
      addPassages(tx, versions, articles),
    ]);
    return new Set(happened.map(({ event }) => event.data.organizationId));
  },
});

const hasTexts = ({ type }: ArticleEvent) => type === 'ArticleCreated' || type === 'ArticleChanged';

/** Events of an article without a row are skipped. */
async function rowAfter(
  row: Row<'articles'> | undefined,
  { stored, event }: Happened<ArticleEvent>,
  { textOf }: Helpers,
): Promise<Row<'articles'> | null> {
  const at = stored.envelope.recordedAt;
  if (event.type === 'ArticleCreated') {
    const { data } = event;
    const content = await textOf(data.organizationId, data.content);
    const language = configurationOf({ title: data.title, content });
    return newRow('articles', data, at, { content, language });
  }
  if (!row) return null;
  switch (event.type) {
    case 'ArticleChanged':
      return changedRow('articles', row, at, await changesOf(row, event.data, textOf));
    case 'ArticleDeleted':
      return changedRow('articles', row, at, { deleted_at: at });
    case 'ArticleRestored':
      return changedRow('articles', row, at, { deleted_at: null });
  }
}

type Changed = EventOf<typeof ArticleChanged>['data'];

async function changesOf(
  row: Row<'articles'>,
  data: Changed,
  textOf: Helpers['textOf'],
): Promise<Partial<Row<'articles'>>> {
  const title = data.title ?? row.title;
  const content = data.content ? await textOf(data.organizationId, data.content) : row.content;
  const language = configurationOf({ title, content });
  return { ...namedColumns('articles', data), content, language };
}

/** Each version keeps its passages: an old task shows the text that it used. */
async function addPassages(
  tx: Tx,
  versions: readonly Row<'articles'>[],
  articles: ReadonlyMap<string, Row<'articles'>>,
) {
  if (versions.length === 0) return;
  const rows = versions.flatMap((article) => {
    const { organization_id, article_id, version, title, language } = article;
    const is_current = articles.get(article_id)?.version === version;
    return splitIntoPassages(article).map(({ ordinal, heading, text }) => ({
      organization_id,
      article_id,
      version,
      ordinal,
      heading,
      text,
      hash: derivedId('passage', title, heading ?? '', text),
      language,
      is_current,
      search: searchTextOf([title, heading ?? '', text].join('\n')),
    }));
  });
  const ids = [...new Set(versions.map(({ article_id }) => article_id))];
  await sql`update read_model.passages set is_current = false
    where article_id = any(${ids}::uuid[]) and is_current`.execute(tx);
  for (let from = 0; from < rows.length; from += ROWS_MAX) {
    const part = JSON.stringify(rows.slice(from, from + ROWS_MAX));
    await sql`insert into read_model.passages
      (organization_id, article_id, version, ordinal, heading, text, hash, search, is_current)
      select r.organization_id, r.article_id, r.version, r.ordinal, r.heading, r.text, r.hash,
        strip(to_tsvector(r.language::regconfig, r.search)), r.is_current
      from jsonb_to_recordset(${part}::jsonb) as r(organization_id uuid, article_id uuid,
        version int, ordinal int, heading text, text text, hash uuid, search text,
        language text, is_current boolean)`.execute(tx);
  }
  for (const [organizationId, own] of Map.groupBy(rows, (row) => row.organization_id)) {
    const words = vocabularyIn(own.map(({ search }) => search).join('\n'));
    await sql`insert into read_model.passage_words (organization_id, word)
      select ${organizationId}::uuid, word from unnest(${words}::text[]) word
      on conflict do nothing`.execute(tx);
  }
}
