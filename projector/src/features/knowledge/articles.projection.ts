import { splitIntoPassages } from '@tallyhand/agent-runtime/passages';
import {
  type ArticleEvent,
  articleEvents,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import {
  type ArticlesTable,
  articlesModel,
} from '@tallyhand/read-models/features/knowledge/knowledge.tables';
import { projection, type Tx } from '../../kernel/projection.ts';

/** Rows in one statement: a statement takes at most 65,535 values. */
const ROWS_MAX = 1000;

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
      if (row) await insertPassages(tx, row);
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
  'article_id' | 'organization_id' | 'version' | 'title' | 'content'
>;

/** Each version has its own: an old task shows the text that it really used. */
async function insertPassages(tx: Tx, { title, content, ...version }: Version) {
  const rows = splitIntoPassages({ title, content }).map((passage) => ({
    organization_id: version.organization_id,
    article_id: version.article_id,
    version: version.version,
    ordinal: passage.ordinal,
    heading: passage.heading,
    text: passage.text,
  }));
  for (let from = 0; from < rows.length; from += ROWS_MAX) {
    await tx
      .insertInto('passages')
      .values(rows.slice(from, from + ROWS_MAX))
      .execute();
  }
}
