import { listApiKeys } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { readApiKeys } from '@tallyhand/read-models/features/api-keys/api-keys.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute } from '../../kernel/route.ts';

export function apiKeysRoutes(app: FastifyInstance, context: QueryContext) {
  listRoute(app, context, listApiKeys, { read: readApiKeys });
}
