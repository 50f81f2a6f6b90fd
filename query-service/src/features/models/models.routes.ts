import { getMeaningSearch } from '@tallyhand/contracts/features/models/meaning-search.endpoints';
import {
  getConnection,
  getConnectionHistory,
  listConnections,
} from '@tallyhand/contracts/features/models/models.endpoints';
import { connections } from '@tallyhand/read-models/features/models/connections.tables';
import { readMeaningSearch } from '@tallyhand/read-models/features/models/meaning-search';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute } from '../../kernel/route.ts';
import { versionedObjectRoutes } from '../../kernel/versioned-objects.ts';

export function modelsRoutes(app: FastifyInstance, context: QueryContext) {
  const endpoints = { list: listConnections, one: getConnection, history: getConnectionHistory };
  versionedObjectRoutes(app, context, connections, endpoints);
  oneRoute(app, context, getMeaningSearch, { read: readMeaningSearch, values: () => ({}) });
}
