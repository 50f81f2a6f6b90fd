import type { FastifyInstance } from 'fastify';
import { agentsRoutes } from '../features/agents/agents.routes.ts';
import { auditRoutes } from '../features/audit/audit.routes.ts';
import { auditExportsRoutes } from '../features/audit/audit-exports.routes.ts';
import { historyRoutes } from '../features/audit/history.routes.ts';
import { chatRoutes } from '../features/chat/chat.routes.ts';
import { creditsRoutes } from '../features/credits/credits.routes.ts';
import { identityRoutes } from '../features/identity/identity.routes.ts';
import { knowledgeRoutes } from '../features/knowledge/knowledge.routes.ts';
import { notificationsRoutes } from '../features/notifications/notifications.routes.ts';
import { organizationsRoutes } from '../features/organizations/organizations.routes.ts';
import { playbooksRoutes } from '../features/playbooks/playbooks.routes.ts';
import { statusRoutes } from '../features/status/status.routes.ts';
import { tasksRoutes } from '../features/tasks/tasks.routes.ts';
import { teamRoutes } from '../features/team/team.routes.ts';
import { toolsRoutes } from '../features/tools/tools.routes.ts';
import type { QueryContext } from '../kernel/context.ts';
import { apiDocument } from './api-document.ts';

export function addRoutes(app: FastifyInstance, context: QueryContext): void {
  agentsRoutes(app, context);
  creditsRoutes(app, context);
  identityRoutes(app, context);
  knowledgeRoutes(app, context);
  playbooksRoutes(app, context);
  toolsRoutes(app, context);
  auditRoutes(app, context);
  auditExportsRoutes(app, context);
  historyRoutes(app, context);
  chatRoutes(app, context);
  notificationsRoutes(app, context);
  organizationsRoutes(app, context);
  statusRoutes(app, context);
  tasksRoutes(app, context);
  teamRoutes(app, context);
  const document = apiDocument(context.settings.publicUrl);
  app.get('/api/openapi.json', async () => document);
}
