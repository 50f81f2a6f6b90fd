import {
  getTool,
  getToolHistory,
  listTools,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import { tools } from '@tallyhand/read-models/features/tools/tools.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { versionedObjectRoutes } from '../../kernel/versioned-objects.ts';

export function toolsRoutes(app: FastifyInstance, context: QueryContext) {
  const endpoints = { list: listTools, one: getTool, history: getToolHistory };
  versionedObjectRoutes(app, context, tools, endpoints);
}
