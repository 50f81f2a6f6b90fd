import { getTool, listTools } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { readTool, readTools } from '@tallyhand/read-models/features/tools/tools.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute, oneRoute } from '../../kernel/route.ts';

export function toolsRoutes(app: FastifyInstance, context: QueryContext) {
  const values = ({ id }: { id: string }) => ({ id });
  listRoute(app, context, listTools, { allow: 'member', read: readTools });
  oneRoute(app, context, getTool, { allow: 'member', read: readTool, values });
}
