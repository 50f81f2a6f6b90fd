import {
  agentCalls,
  getAssignments,
  listAgentSummaries,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  agents,
  readAgentSummaries,
  readAssignments,
} from '@tallyhand/read-models/features/agents/agents.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute, route } from '../../kernel/route.ts';
import { versionedObjectRoutes } from '../../kernel/versioned-objects.ts';

export function agentsRoutes(app: FastifyInstance, context: QueryContext) {
  versionedObjectRoutes(app, context, agents, agentCalls);
  route(app, context, listAgentSummaries, ({ read, query }) => read(readAgentSummaries, query));
  oneRoute(app, context, getAssignments, readAssignments);
}
