import {
  getAgent,
  getAssignments,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  readAgent,
  readAgents,
  readAssignments,
} from '@tallyhand/read-models/features/agents/agents.tables';
import { readAgentAsOf, readAgentsAsOf } from '@tallyhand/read-models/features/audit/as-of';
import type { FastifyInstance } from 'fastify';
import { objectRoutes } from '../../kernel/as-of.ts';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute } from '../../kernel/route.ts';

export function agentsRoutes(app: FastifyInstance, context: QueryContext) {
  const values = ({ id }: { id: string }) => ({ id });
  objectRoutes(
    app,
    context,
    { list: listAgents, one: getAgent },
    { list: readAgents, one: readAgent, listAsOf: readAgentsAsOf, oneAsOf: readAgentAsOf },
  );
  oneRoute(app, context, getAssignments, { read: readAssignments, values });
}
