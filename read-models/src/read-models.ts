import {
  agentsModel,
  readAgent,
  readAgents,
  readAssignments,
} from './features/agents/agents.tables.ts';
import { apiKeysModel, readApiKeys } from './features/api-keys/api-keys.tables.ts';
import {
  readAgentAsOf,
  readAgentsAsOf,
  readArticleAsOf,
  readArticlesAsOf,
  readOrganizationAsOf,
  readPlace,
  readPlaybookAsOf,
  readPlaybooksAsOf,
  readToolAsOf,
  readToolsAsOf,
} from './features/audit/as-of.ts';
import {
  readAuditAccess,
  readAuditExport,
  readAuditExports,
  readExportChunk,
} from './features/audit/audit-exports.ts';
import {
  auditLogModel,
  readAuditEntries,
  readRecordedEvents,
} from './features/audit/audit-log.tables.ts';
import { historyModel, readDeletions, readHistory } from './features/audit/history.tables.ts';
import {
  conversationsModel,
  readConversation,
  readConversations,
} from './features/chat/chat.tables.ts';
import {
  ledgerModel,
  readLedgerEntries,
  readNamedLedgerEntries,
  readTrialBalance,
  readTrialBalanceAsOf,
} from './features/credits/ledger.tables.ts';
import {
  paymentsModel,
  readBillingAccess,
  readPaymentForReceipt,
  readPayments,
} from './features/credits/payments.tables.ts';
import { readSpendLimits, spendLimitsModel } from './features/credits/spend-limits.tables.ts';
import {
  readUsageByAgent,
  readUsageByDay,
  readUsageByMember,
  readUsageByType,
} from './features/credits/usage.tables.ts';
import { readVerification } from './features/credits/verification.tables.ts';
import { readSecondFactor, readSignInHistory, readSignIns } from './features/identity/sign-ins.ts';
import { articlesModel, readArticle, readArticles } from './features/knowledge/knowledge.tables.ts';
import {
  mailboxesModel,
  readAllMailboxes,
  readMailbox,
  readMailboxes,
  readMailboxMails,
} from './features/mailboxes/mailboxes.tables.ts';
import {
  notificationsModel,
  readNotificationPreferences,
  readNotifications,
  readUnreadNotifications,
} from './features/notifications/notifications.tables.ts';
import {
  organizationsModel,
  readOrganization,
  readOrganizationStats,
} from './features/organizations/organizations.tables.ts';
import {
  playbooksModel,
  readPlaybook,
  readPlaybooks,
} from './features/playbooks/playbooks.tables.ts';
import { readSearch, searchModel } from './features/search/search.tables.ts';
import { sessionStepsModel } from './features/sessions/session-steps.tables.ts';
import {
  readImage,
  readSession,
  readSessionSteps,
  readSessions,
  sessionsModel,
} from './features/sessions/sessions.tables.ts';
import { readTickets, ticketsModel } from './features/support/support.tables.ts';
import {
  readTask,
  readTaskStats,
  readTasks,
  readWholeTasks,
  tasksModel,
} from './features/tasks/tasks.tables.ts';
import {
  invitationsModel,
  membersModel,
  readCurrentUser,
  readInvitationById,
  readInvitationLink,
  readInvitations,
  readMembers,
  readOutbox,
} from './features/team/team.tables.ts';
import { readTool, readTools, toolsModel } from './features/tools/tools.tables.ts';
import { readDeliveries, readWebhook, readWebhooks } from './features/webhooks/webhooks.ts';
import type { Read, ReadModel } from './kernel/read-model.ts';

export const readModels: readonly ReadModel[] = [
  agentsModel,
  apiKeysModel,
  articlesModel,
  auditLogModel,
  conversationsModel,
  historyModel,
  invitationsModel,
  ledgerModel,
  mailboxesModel,
  membersModel,
  notificationsModel,
  organizationsModel,
  paymentsModel,
  playbooksModel,
  searchModel,
  sessionStepsModel,
  sessionsModel,
  spendLimitsModel,
  tasksModel,
  ticketsModel,
  toolsModel,
];

export const reads: readonly Read[] = [
  readAgent,
  readAgentAsOf,
  readAgents,
  readAgentsAsOf,
  readAllMailboxes,
  readApiKeys,
  readArticle,
  readArticleAsOf,
  readArticles,
  readArticlesAsOf,
  readAssignments,
  readAuditAccess,
  readAuditEntries.newest,
  readAuditEntries.oldest,
  readAuditExport,
  readAuditExports,
  readBillingAccess,
  readConversation,
  readConversations,
  readCurrentUser,
  readDeletions,
  readExportChunk,
  readHistory,
  readImage,
  readInvitationById,
  readInvitationLink,
  readInvitations,
  readNamedLedgerEntries,
  readLedgerEntries.newest,
  readLedgerEntries.oldest,
  readMailbox,
  readMailboxMails,
  readMailboxes,
  readMembers,
  readNotificationPreferences,
  readNotifications,
  readOrganization,
  readOrganizationAsOf,
  readOrganizationStats,
  readOutbox,
  readPaymentForReceipt,
  readPayments.newest,
  readPayments.oldest,
  readPlace,
  readPlaybook,
  readPlaybookAsOf,
  readPlaybooks,
  readPlaybooksAsOf,
  readRecordedEvents,
  readSearch,
  readSecondFactor,
  readSession,
  readSessionSteps,
  readSessions,
  readSignInHistory,
  readSignIns,
  readSpendLimits,
  readTask,
  readTaskStats,
  readTasks.newest,
  readTasks.oldest,
  readTickets,
  readTool,
  readToolAsOf,
  readTools,
  readToolsAsOf,
  readTrialBalance,
  readTrialBalanceAsOf,
  readUnreadNotifications,
  readUsageByAgent,
  readUsageByDay,
  readUsageByMember,
  readUsageByType,
  readVerification,
  readDeliveries,
  readWebhook,
  readWebhooks,
  readWholeTasks,
];
