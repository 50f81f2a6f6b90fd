import {
  getConnection,
  getConnectionHistory,
  listConnections,
} from '@tallyhand/contracts/features/models/models.endpoints';
import { connections } from '@tallyhand/read-models/features/models/connections.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { versionedObjectRoutes } from '../../kernel/versioned-objects.ts';

export function modelsRoutes(app: FastifyInstance, context: QueryContext) {
  const endpoints = { list: listConnections, one: getConnection, history: getConnectionHistory };
  versionedObjectRoutes(app, context, connections, endpoints);
}
