import type { AgentsTable } from './features/agents/agents.tables.ts';
import type { CreditBalancesTable, LedgerEntriesTable } from './features/credits/credits.tables.ts';
import type { ArticlesTable, PassagesTable } from './features/knowledge/knowledge.tables.ts';
import type { OrganizationsTable } from './features/organizations/organizations.tables.ts';
import type { TasksTable } from './features/tasks/tasks.tables.ts';
import type { InvitationsTable, MembersTable } from './features/team/team.tables.ts';

/** The tables as the projector writes them. Moments are ISO 8601 text. */
export type ReadModelTables = {
  agents: AgentsTable;
  articles: ArticlesTable;
  credit_balances: CreditBalancesTable;
  invitations: InvitationsTable;
  ledger_entries: LedgerEntriesTable;
  members: MembersTable;
  organizations: OrganizationsTable;
  passages: PassagesTable;
  tasks: TasksTable;
};
