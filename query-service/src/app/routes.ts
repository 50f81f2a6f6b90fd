import { apiDocument as documentOf } from '@tallyhand/contracts/api-document';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { signInCookieName } from '@tallyhand/service-kit/http/cookies';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { queryOf } from '@tallyhand/service-kit/http/request';
import type { FastifyInstance } from 'fastify';
import manifest from '../../package.json' with { type: 'json' };
import { agentsRoutes } from '../features/agents/agents.routes.ts';
import { apiKeysRoutes } from '../features/api-keys/api-keys.routes.ts';
import { attachmentsRoutes } from '../features/attachments/attachments.routes.ts';
import { auditRoutes, historyRoutes } from '../features/audit/audit.routes.ts';
import { auditExportsRoutes } from '../features/audit/audit-exports.routes.ts';
import { auditTreeRoutes } from '../features/audit/audit-tree.routes.ts';
import { evidenceRoutes } from '../features/audit/evidence.routes.ts';
import { chatRoutes } from '../features/chat/chat.routes.ts';
import { ledgerRoutes } from '../features/credits/ledger.routes.ts';
import { paymentsRoutes } from '../features/credits/payments.routes.ts';
import { statementsRoutes } from '../features/credits/statements.routes.ts';
import { usageRoutes } from '../features/credits/usage.routes.ts';
import { identityRoutes } from '../features/identity/identity.routes.ts';
import { ownDataRoutes } from '../features/identity/own-data.ts';
import { knowledgeRoutes } from '../features/knowledge/knowledge.routes.ts';
import { mailboxesRoutes } from '../features/mailboxes/mailboxes.routes.ts';
import { modelsRoutes } from '../features/models/models.routes.ts';
import { notificationsRoutes } from '../features/notifications/notifications.routes.ts';
import { openAiRoutes } from '../features/openai/openai.routes.ts';
import { organizationsRoutes } from '../features/organizations/organizations.routes.ts';
import { playbooksRoutes } from '../features/playbooks/playbooks.routes.ts';
import { ratingsRoutes } from '../features/ratings/ratings.routes.ts';
import { searchRoutes } from '../features/search/search.routes.ts';
import { sessionsRoutes } from '../features/sessions/sessions.routes.ts';
import { statusRoutes } from '../features/status/status.routes.ts';
import { supportRoutes } from '../features/support/support.routes.ts';
import { taskEventsRoute } from '../features/tasks/task-events.routes.ts';
import { tasksRoutes } from '../features/tasks/tasks.routes.ts';
import { teamRoutes } from '../features/team/team.routes.ts';
import { toolsRoutes } from '../features/tools/tools.routes.ts';
import { webhooksRoutes } from '../features/webhooks/webhooks.routes.ts';
import type { QueryContext } from '../kernel/context.ts';
import type { LiveChanges } from '../kernel/live-changes.ts';

export function addRoutes(app: FastifyInstance, context: QueryContext, live: LiveChanges): void {
  live.addRoute(app);
  taskEventsRoute(app, context, live);
  agentsRoutes(app, context);
  apiKeysRoutes(app, context);
  attachmentsRoutes(app, context);
  ledgerRoutes(app, context);
  paymentsRoutes(app, context);
  statementsRoutes(app, context);
  usageRoutes(app, context);
  identityRoutes(app, context);
  ownDataRoutes(app, context);
  knowledgeRoutes(app, context);
  playbooksRoutes(app, context);
  toolsRoutes(app, context);
  modelsRoutes(app, context);
  webhooksRoutes(app, context);
  auditRoutes(app, context);
  auditExportsRoutes(app, context);
  auditTreeRoutes(app, context);
  evidenceRoutes(app, context);
  historyRoutes(app, context);
  chatRoutes(app, context);
  mailboxesRoutes(app, context);
  notificationsRoutes(app, context);
  openAiRoutes(app, context);
  organizationsRoutes(app, context);
  ratingsRoutes(app, context);
  searchRoutes(app, context);
  sessionsRoutes(app, context);
  statusRoutes(app, context);
  supportRoutes(app, context);
  tasksRoutes(app, context);
  teamRoutes(app, context);
  let document: object | undefined;
  app.get('/api/openapi.json', async (request, reply) => {
    const query = queryOf(request);
    if (isRefusal(query)) return sendProblem(reply, query);
    document ??= apiDocument(context.settings.publicUrl);
    return document;
  });
}

/** The API document of the installation at this address. */
export const apiDocument = (publicUrl: string) =>
  documentOf({
    version: manifest.version,
    serverUrl: publicUrl,
    signInCookie: signInCookieName(publicUrl),
  });
