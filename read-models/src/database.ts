import type { AgentCountsTable, AgentsTable } from './features/agents/agents.tables.ts';
import type { ApiKeysTable } from './features/api-keys/api-keys.tables.ts';
import type { AuditEntriesTable, AuditHeadsTable } from './features/audit/audit-log.tables.ts';
import type { ObjectHistoryTable, ObjectValuesTable } from './features/audit/history.tables.ts';
import type { ConversationMessagesTable, ConversationsTable } from './features/chat/chat.tables.ts';
import type {
  AccountBalancesTable,
  CreditBalancesTable,
  JournalTable,
  LedgerChecksTable,
  LedgerEntriesTable,
  UsageDailyTable,
} from './features/credits/ledger.tables.ts';
import type { PaymentsTable } from './features/credits/payments.tables.ts';
import type { SpendLimitsTable } from './features/credits/spend-limits.tables.ts';
import type {
  ArticleCountsTable,
  ArticlesTable,
  PassagesTable,
  PassageWordsTable,
} from './features/knowledge/knowledge.tables.ts';
import type { MailboxesTable, MailboxMailsTable } from './features/mailboxes/mailboxes.tables.ts';
import type {
  NoticeBalancesTable,
  NoticePreferencesTable,
  NoticeReadsTable,
  NoticeReadsUntilTable,
  NoticeWorksTable,
  NotificationsTable,
} from './features/notifications/notifications.tables.ts';
import type { OrganizationsTable } from './features/organizations/organizations.tables.ts';
import type { PlaybooksTable } from './features/playbooks/playbooks.tables.ts';
import type { SearchEntriesTable } from './features/search/search.tables.ts';
import type { SessionStepsTable } from './features/sessions/session-steps.tables.ts';
import type { SessionsTable } from './features/sessions/sessions.tables.ts';
import type { TicketsTable } from './features/support/support.tables.ts';
import type { TaskCountsTable, TasksTable } from './features/tasks/tasks.tables.ts';
import type { InvitationsTable, MembersTable } from './features/team/team.tables.ts';
import type { ToolsTable } from './features/tools/tools.tables.ts';

/** The tables as the projector writes them. Moments are ISO 8601 text. */
export type ReadModelTables = {
  account_balances: AccountBalancesTable;
  agent_counts: AgentCountsTable;
  agents: AgentsTable;
  api_keys: ApiKeysTable;
  article_counts: ArticleCountsTable;
  articles: ArticlesTable;
  audit_entries: AuditEntriesTable;
  audit_heads: AuditHeadsTable;
  conversation_messages: ConversationMessagesTable;
  conversations: ConversationsTable;
  credit_balances: CreditBalancesTable;
  invitations: InvitationsTable;
  journal: JournalTable;
  ledger_checks: LedgerChecksTable;
  ledger_entries: LedgerEntriesTable;
  mailbox_mails: MailboxMailsTable;
  mailboxes: MailboxesTable;
  members: MembersTable;
  notice_balances: NoticeBalancesTable;
  notice_preferences: NoticePreferencesTable;
  notice_reads: NoticeReadsTable;
  notice_reads_until: NoticeReadsUntilTable;
  notice_works: NoticeWorksTable;
  notifications: NotificationsTable;
  object_history: ObjectHistoryTable;
  object_values: ObjectValuesTable;
  organizations: OrganizationsTable;
  passage_words: PassageWordsTable;
  passages: PassagesTable;
  payments: PaymentsTable;
  playbooks: PlaybooksTable;
  search_entries: SearchEntriesTable;
  session_steps: SessionStepsTable;
  sessions: SessionsTable;
  spend_limits: SpendLimitsTable;
  task_counts: TaskCountsTable;
  tasks: TasksTable;
  tickets: TicketsTable;
  tools: ToolsTable;
  usage_daily: UsageDailyTable;
};
