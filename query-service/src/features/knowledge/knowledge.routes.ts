import {
  getArticle,
  listArticles,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  readArticle,
  readArticles,
} from '@tallyhand/read-models/features/knowledge/knowledge.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute, oneRoute } from '../../kernel/route.ts';

export function knowledgeRoutes(app: FastifyInstance, context: QueryContext) {
  const values = ({ id }: { id: string }) => ({ id });
  listRoute(app, context, listArticles, { allow: 'member', read: readArticles });
  const article = { allow: 'member', what: 'article', read: readArticle, values } as const;
  oneRoute(app, context, getArticle, article);
}
