import type { FastifyInstance } from 'fastify';
import { agentsRoutes } from '../features/agents/agents.routes.ts';
import { apiKeysRoutes } from '../features/api-keys/api-keys.routes.ts';
import { attachmentsRoutes } from '../features/attachments/attachments.routes.ts';
import { auditRoutes, observationsRoutes, observerOf } from '../features/audit/audit.routes.ts';
import { chatRoutes } from '../features/chat/chat.routes.ts';
import { overBudget } from '../features/chat/chat-budget.ts';
import { creditsRoutes } from '../features/credits/credits.routes.ts';
import { paymentsRoutes, webhooksRoutes } from '../features/credits/payments.routes.ts';
import { accountRoutes, secondFactorRoutes } from '../features/identity/account.routes.ts';
import { identityRoutes } from '../features/identity/identity.routes.ts';
import { notificationsRoutes } from '../features/identity/notifications.routes.ts';
import { importRoutes, knowledgeRoutes } from '../features/knowledge/knowledge.routes.ts';
import { mailboxesRoutes } from '../features/mailboxes/mailboxes.routes.ts';
import { modelsRoutes } from '../features/models/models.routes.ts';
import { openAiRoutes } from '../features/openai/openai.routes.ts';
import { retentionRoutes } from '../features/organizations/retention.routes.ts';
import { playbooksRoutes } from '../features/playbooks/playbooks.routes.ts';
import { ratingsRoutes } from '../features/ratings/ratings.routes.ts';
import { runnerRoutes } from '../features/sessions/runner.routes.ts';
import { sessionsRoutes } from '../features/sessions/sessions.routes.ts';
import { supportRoutes } from '../features/support/support.routes.ts';
import { Execution } from '../features/tasks/execution.ts';
import { tasksRoutes } from '../features/tasks/tasks.routes.ts';
import { membersRoutes, teamRoutes } from '../features/team/team.routes.ts';
import { toolsRoutes } from '../features/tools/tools.routes.ts';
import { webhooksRoutes as webhooksOutRoutes } from '../features/webhooks/webhooks.routes.ts';
import type { Kit } from '../kit/app.ts';
import type { Features } from './features.ts';
import type { OpenedKit } from './open-kit.ts';
import { composeChat, findAnswers, outboundMailConfigOf, settleTask } from './work.ts';

export function addRoutes(
  app: FastifyInstance,
  kit: Kit,
  features: Features,
  {
    boss,
    queue,
    completions,
    sessions,
  }: Pick<OpenedKit, 'boss' | 'queue' | 'completions' | 'sessions'>,
): void {
  const { accounts, agents, articles, credits, findAgent, invitations, playbooks, tools } =
    features;
  const { registration } = features;
  const { payments, testPayments, gateway } = features;
  identityRoutes(app, { kit, registration, accounts });
  const { emailChanges, erasure, accountLinks } = features;
  accountRoutes(app, { kit, boss, accounts, emailChanges, erasure, accountLinks });
  secondFactorRoutes(app, { kit, accounts });
  teamRoutes(app, { kit, invitations, accounts: registration });
  membersRoutes(app, { kit, members: features.organizations });
  apiKeysRoutes(app, { kit });
  webhooksOutRoutes(app, { kit, webhooks: features.webhooks });
  auditRoutes(app, { kit, boss });
  creditsRoutes(app, { kit, boss, credits, findAgent });
  paymentsRoutes(app, { kit, payments, testPayments, credits });
  webhooksRoutes(app, { kit, payments, gateway });
  const { connections, endpoints, localServers } = features;
  agentsRoutes(app, { kit, agents, connections, resources: { articles, playbooks, tools } });
  chatRoutes(app, composeChat(kit, features, completions));
  attachmentsRoutes(app, { kit, attachments: features.attachments });
  mailboxesRoutes(app, {
    kit,
    mailboxes: features.mailboxes,
    outbound: outboundMailConfigOf(kit),
    findAgent,
  });
  knowledgeRoutes(app, kit, articles);
  app.register((scope) => importRoutes(scope, kit, articles));
  notificationsRoutes(app, kit);
  playbooksRoutes(app, kit, playbooks);
  toolsRoutes(app, { kit, tools, openTools: features.openTools });
  modelsRoutes(app, {
    kit,
    connections,
    endpoints,
    localServers,
    modelImages: features.modelImages,
    organizations: features.organizations,
  });
  retentionRoutes(app, { kit, organizations: features.organizations });
  ratingsRoutes(app, { kit, ...findAnswers(kit) });
  sessionsRoutes(app, sessions);
  supportRoutes(app, { kit, support: features.support });
  const execution = new Execution({
    kit,
    queue,
    completions,
    findAgent,
    findPlaybook: (id, organizationId) => playbooks.find(id, organizationId),
    findTool: (id, organizationId) => tools.find(id, organizationId),
    credits,
    priceOf: features.priceOf,
    engineOf: (organizationId, model) => features.engines.answers.of(organizationId, model),
    attachments: features.attachments,
    settle: (context, task) => settleTask(features, context, task),
  });
  const comparing = {
    kit,
    queue,
    findAgent,
    findAgentVersion: features.findAgentVersion,
    findConnection: (id: string, organizationId: string) => connections.find(id, organizationId),
    priceOf: features.priceOf,
    credits,
  };
  tasksRoutes(app, { kit, execution, comparing });
  openAiRoutes(app, {
    kit,
    runToEnd: (wanted, call) => execution.runToEnd(wanted, call),
    embeddingModelOf: (organizationId, since) => features.embeddingModels.of(organizationId, since),
    overBudget: (organizationId) => overBudget(kit, organizationId),
  });
}

/** The internal calls. */
export function addInternalRoutes(
  app: FastifyInstance,
  { kit, sessions }: Pick<OpenedKit, 'kit' | 'sessions'>,
): void {
  observationsRoutes(app, observerOf(kit));
  runnerRoutes(app, sessions);
}
