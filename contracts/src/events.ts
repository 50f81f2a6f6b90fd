import { agentEvents } from './features/agents/agents.events.ts';
import { apiKeyEvents } from './features/api-keys/api-keys.events.ts';
import { auditEvents } from './features/audit/audit.events.ts';
import { conversationEvents } from './features/chat/chat.events.ts';
import { ledgerEvents } from './features/credits/credits.events.ts';
import { paymentEvents } from './features/credits/payments.events.ts';
import { emailEvents, userEvents } from './features/identity/identity.events.ts';
import { articleEvents } from './features/knowledge/knowledge.events.ts';
import { mailboxEvents } from './features/mailboxes/mailboxes.events.ts';
import { connectionEvents } from './features/models/models.events.ts';
import { embeddingEvents } from './features/openai/openai.events.ts';
import { organizationEvents } from './features/organizations/organizations.events.ts';
import { playbookEvents } from './features/playbooks/playbooks.events.ts';
import { ratingEvents } from './features/ratings/ratings.events.ts';
import { sessionEvents } from './features/sessions/sessions.events.ts';
import { contactEvents, ticketEvents } from './features/support/support.events.ts';
import { taskEvents } from './features/tasks/tasks.events.ts';
import { invitationEvents } from './features/team/team.events.ts';
import { toolEvents } from './features/tools/tools.events.ts';
import { webhookEvents } from './features/webhooks/webhooks.events.ts';

/**
 * Every declared event, by the category of its stream: the part of the name before the first `-`.
 */
export const eventsByCategory = {
  agent: agentEvents,
  apikey: apiKeyEvents,
  article: articleEvents,
  audit: auditEvents,
  connection: connectionEvents,
  contact: contactEvents,
  conversation: conversationEvents,
  email: emailEvents,
  embedding: embeddingEvents,
  invitation: invitationEvents,
  ledger: ledgerEvents,
  mailbox: mailboxEvents,
  organization: organizationEvents,
  payment: paymentEvents,
  playbook: playbookEvents,
  rating: ratingEvents,
  session: sessionEvents,
  task: taskEvents,
  ticket: ticketEvents,
  tool: toolEvents,
  user: userEvents,
  webhook: webhookEvents,
} as const;
