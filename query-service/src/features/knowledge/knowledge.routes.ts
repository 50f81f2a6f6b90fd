import {
  getArticle,
  listArticles,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { readArticleAsOf, readArticlesAsOf } from '@tallyhand/read-models/features/audit/as-of';
import {
  readArticle,
  readArticles,
} from '@tallyhand/read-models/features/knowledge/knowledge.tables';
import type { FastifyInstance } from 'fastify';
import { objectRoutes } from '../../kernel/as-of.ts';
import type { QueryContext } from '../../kernel/context.ts';

export function knowledgeRoutes(app: FastifyInstance, context: QueryContext) {
  objectRoutes(
    app,
    context,
    { list: listArticles, one: getArticle },
    { list: readArticles, one: readArticle, listAsOf: readArticlesAsOf, oneAsOf: readArticleAsOf },
    { what: 'article' },
  );
}
