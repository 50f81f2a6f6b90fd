import { getTool, listTools } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { readToolAsOf, readToolsAsOf } from '@tallyhand/read-models/features/audit/as-of';
import { readTool, readTools } from '@tallyhand/read-models/features/tools/tools.tables';
import type { FastifyInstance } from 'fastify';
import { objectRoutes } from '../../kernel/as-of.ts';
import type { QueryContext } from '../../kernel/context.ts';

export function toolsRoutes(app: FastifyInstance, context: QueryContext) {
  objectRoutes(
    app,
    context,
    { list: listTools, one: getTool },
    { list: readTools, one: readTool, listAsOf: readToolsAsOf, oneAsOf: readToolAsOf },
  );
}
