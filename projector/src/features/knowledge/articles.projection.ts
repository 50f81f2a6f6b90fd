import {
  type ArticleEvent,
  articleEvents,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import { articlesModel } from '@tallyhand/read-models/features/knowledge/knowledge.tables';
import { projection, type Tx } from '../../kernel/projection.ts';

export const articlesProjection = projection<ArticleEvent>({
  model: articlesModel,
  kinds: articleEvents,
  on: {
    ArticleCreated: async (tx, data, { at, textOf }) =>
      tx
        .insertInto('articles')
        .values({
          article_id: data.articleId,
          organization_id: data.organizationId,
          title: data.title,
          content: await textOf(data.organizationId, data.content),
          category: data.category,
          tags: data.tags,
          is_public: data.isPublic,
          version: data.version,
          created_at: at,
          deleted_at: null,
        })
        .execute(),
    ArticleDeleted: (tx, { articleId }, { at }) => setDeleted(tx, articleId, at),
    ArticleRestored: (tx, { articleId }) => setDeleted(tx, articleId, null),
  },
});

const setDeleted = (tx: Tx, articleId: string, at: string | null) =>
  tx.updateTable('articles').set({ deleted_at: at }).where('article_id', '=', articleId).execute();
