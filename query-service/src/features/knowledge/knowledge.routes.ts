import { articleCalls } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { articles } from '@tallyhand/read-models/features/knowledge/knowledge.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { versionedObjectRoutes } from '../../kernel/versioned-objects.ts';

export function knowledgeRoutes(app: FastifyInstance, context: QueryContext) {
  versionedObjectRoutes(app, context, articles, articleCalls);
}
