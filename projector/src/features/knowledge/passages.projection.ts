import { splitIntoPassages } from '@tallyhand/agent-runtime/passages';
import {
  type ArticleEvent,
  articleEvents,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import { passagesModel } from '@tallyhand/read-models/features/knowledge/knowledge.tables';
import { projection } from '../../kernel/projection.ts';

/** Rows in one statement: a statement takes at most 65,535 values. */
const ROWS_MAX = 1000;

/** The passages of each version of an article; which version counts is the article's own row. */
export const passagesProjection = projection<ArticleEvent>({
  model: passagesModel,
  kinds: articleEvents,
  on: {
    ArticleCreated: async (tx, data, { textOf }) => {
      const content = await textOf(data.organizationId, data.content);
      const rows = splitIntoPassages({ title: data.title, content }).map((passage) => ({
        organization_id: data.organizationId,
        article_id: data.articleId,
        version: data.version,
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
    },
    ArticleDeleted: 'ignored',
    ArticleRestored: 'ignored',
  },
});
