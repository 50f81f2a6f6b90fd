import {
  configurationOf,
  searchTextOf,
  vocabularyIn,
} from '@tallyhand/agent-runtime/built-in/search-words';
import { splitIntoPassages } from '@tallyhand/agent-runtime/passages';
import {
  type ArticleEvent,
  articleEvents,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import {
  type ArticlesTable,
  articlesModel,
} from '@tallyhand/read-models/features/knowledge/knowledge.tables';
import { sql } from 'kysely';
import { projection, type Tx } from '../../kernel/projection.ts';

/** Rows in one statement. */
const ROWS_MAX = 1_000;

export const articlesProjection = projection<ArticleEvent>({
  model: articlesModel,
  kinds: articleEvents,
  on: {
    ArticleCreated: async (tx, data, { at, textOf }) => {
      const content = await textOf(data.organizationId, data.content);
      const row: ArticlesTable = {
        article_id: data.articleId,
        organization_id: data.organizationId,
        title: data.title,
        content,
        category: data.category,
        tags: data.tags,
        is_public: data.isPublic,
        version: data.version,
        language: configurationOf({ title: data.title, content }),
        created_at: at,
        deleted_at: null,
      };
      await tx.insertInto('articles').values(row).execute();
      await insertPassages(tx, row);
    },
    ArticleChanged: async (tx, data, { textOf }) => {
      const { articleId, organizationId, title, content, category, tags, isPublic } = data;
      const row = await change(tx, articleId, {
        version: data.version,
        ...(title === undefined ? {} : { title }),
        ...(content === undefined ? {} : { content: await textOf(organizationId, content) }),
        ...(category === undefined ? {} : { category }),
        ...(tags === undefined ? {} : { tags }),
        ...(isPublic === undefined ? {} : { is_public: isPublic }),
      });
      if (!row) return;
      const language = configurationOf(row);
      await change(tx, articleId, { language });
      await tx
        .updateTable('passages')
        .set({ is_current: false })
        .where('article_id', '=', articleId)
        .where('is_current', '=', true)
        .execute();
      await insertPassages(tx, { ...row, language });
    },
    ArticleDeleted: (tx, { articleId }, { at }) => change(tx, articleId, { deleted_at: at }),
    ArticleRestored: (tx, { articleId }) => change(tx, articleId, { deleted_at: null }),
  },
});

const change = (tx: Tx, articleId: string, columns: Partial<ArticlesTable>) =>
  tx
    .updateTable('articles')
    .set(columns)
    .where('article_id', '=', articleId)
    .returningAll()
    .executeTakeFirst();

type Version = Pick<
  ArticlesTable,
  'article_id' | 'organization_id' | 'version' | 'title' | 'content' | 'language'
>;

/** Each version has its own: an old task shows the text that it really used. */
async function insertPassages(tx: Tx, article: Version) {
  const { organization_id, article_id, version, title, language } = article;
  const passages = splitIntoPassages(article);
  const rows = passages.map(({ ordinal, heading, text }) => ({
    ...{ organization_id, article_id, version, ordinal, heading, text },
    search: searchTextOf([title, heading ?? '', text].join('\n')),
  }));
  for (let from = 0; from < rows.length; from += ROWS_MAX) {
    const part = JSON.stringify(rows.slice(from, from + ROWS_MAX));
    await sql`insert into read_model.passages
      (organization_id, article_id, version, ordinal, heading, text, search, is_current)
      select r.organization_id, r.article_id, r.version, r.ordinal, r.heading, r.text,
        strip(to_tsvector(${language}::text::regconfig, r.search)), true
      from jsonb_to_recordset(${part}::jsonb) as r(organization_id uuid, article_id uuid,
        version int, ordinal int, heading text, text text, search text)`.execute(tx);
  }
  const words = vocabularyIn(rows.map(({ search }) => search).join('\n'));
  await sql`insert into read_model.passage_words (organization_id, word)
    select ${organization_id}::uuid, word from unnest(${words}::text[]) word
    on conflict do nothing`.execute(tx);
}
