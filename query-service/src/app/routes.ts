import type { FastifyInstance } from 'fastify';
import { agentsRoutes } from '../features/agents/agents.routes.ts';
import { creditsRoutes } from '../features/credits/credits.routes.ts';
import { identityRoutes } from '../features/identity/identity.routes.ts';
import { knowledgeRoutes } from '../features/knowledge/knowledge.routes.ts';
import { organizationsRoutes } from '../features/organizations/organizations.routes.ts';
import { tasksRoutes } from '../features/tasks/tasks.routes.ts';
import { teamRoutes } from '../features/team/team.routes.ts';
import type { QueryContext } from '../kernel/context.ts';
import { apiDocument } from './api-document.ts';

export function addRoutes(app: FastifyInstance, context: QueryContext): void {
  agentsRoutes(app, context);
  creditsRoutes(app, context);
  identityRoutes(app, context);
  knowledgeRoutes(app, context);
  organizationsRoutes(app, context);
  tasksRoutes(app, context);
  teamRoutes(app, context);
  const document = apiDocument(context.settings.publicUrl);
  app.get('/api/openapi.json', async () => document);
}
