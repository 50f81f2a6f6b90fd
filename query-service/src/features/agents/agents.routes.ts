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
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute, oneRoute } from '../../kernel/route.ts';

export function agentsRoutes(app: FastifyInstance, context: QueryContext) {
  const values = ({ id }: { id: string }) => ({ id });
  listRoute(app, context, listAgents, { allow: 'member', read: readAgents });
  oneRoute(app, context, getAgent, { allow: 'member', read: readAgent, values });
  oneRoute(app, context, getAssignments, { allow: 'member', read: readAssignments, values });
}
