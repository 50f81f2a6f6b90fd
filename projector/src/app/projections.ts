import { agentsProjection } from '../features/agents/agents.projection.ts';
import { apiKeysProjection } from '../features/api-keys/api-keys.projection.ts';
import { auditLogProjection } from '../features/audit/audit-log.projection.ts';
import { auditPublishingProjection } from '../features/audit/audit-publishing.projection.ts';
import { historyProjection } from '../features/audit/history.projection.ts';
import { conversationsProjection } from '../features/chat/conversations.projection.ts';
import { ledgerProjection } from '../features/credits/ledger.projection.ts';
import { paymentsProjection } from '../features/credits/payments.projection.ts';
import { spendLimitsProjection } from '../features/credits/spend-limits.projection.ts';
import { articlesProjection } from '../features/knowledge/articles.projection.ts';
import { mailboxesProjection } from '../features/mailboxes/mailboxes.projection.ts';
import { connectionsProjection } from '../features/models/connections.projection.ts';
import { modelUsageProjection } from '../features/models/model-usage.projection.ts';
import { notificationsProjection } from '../features/notifications/notifications.projection.ts';
import { organizationsProjection } from '../features/organizations/organizations.projection.ts';
import { retentionProjection } from '../features/organizations/retention.projection.ts';
import { playbooksProjection } from '../features/playbooks/playbooks.projection.ts';
import { ratingsProjection } from '../features/ratings/ratings.projection.ts';
import { searchEntriesProjection } from '../features/search/search-entries.projection.ts';
import {
  sessionStepsProjection,
  sessionsProjection,
} from '../features/sessions/sessions.projection.ts';
import { ticketsProjection } from '../features/support/tickets.projection.ts';
import { tasksProjection } from '../features/tasks/tasks.projection.ts';
import { invitationsProjection } from '../features/team/invitations.projection.ts';
import { membersProjection } from '../features/team/members.projection.ts';
import { toolsProjection } from '../features/tools/tools.projection.ts';
import type { Projection } from '../kernel/projection.ts';

export const projections: readonly Projection[] = [
  organizationsProjection,
  retentionProjection,
  membersProjection,
  invitationsProjection,
  ledgerProjection,
  spendLimitsProjection,
  paymentsProjection,
  notificationsProjection,
  agentsProjection,
  apiKeysProjection,
  articlesProjection,
  playbooksProjection,
  toolsProjection,
  connectionsProjection,
  modelUsageProjection,
  historyProjection,
  auditLogProjection,
  auditPublishingProjection,
  tasksProjection,
  mailboxesProjection,
  ticketsProjection,
  conversationsProjection,
  ratingsProjection,
  sessionsProjection,
  sessionStepsProjection,
  searchEntriesProjection,
];
