import * as agents from './features/agents/agents.tables.ts';
import * as apiKeys from './features/api-keys/api-keys.tables.ts';
import * as attachments from './features/attachments/attachments.ts';
import * as asOf from './features/audit/as-of.ts';
import * as auditExports from './features/audit/audit-exports.ts';
import * as auditLog from './features/audit/audit-log.tables.ts';
import * as auditPublishing from './features/audit/audit-publishing.tables.ts';
import * as evidence from './features/audit/evidence.ts';
import * as history from './features/audit/history.tables.ts';
import * as logStream from './features/audit/log-stream.ts';
import * as chat from './features/chat/chat.tables.ts';
import * as ledger from './features/credits/ledger.tables.ts';
import * as payments from './features/credits/payments.tables.ts';
import * as spendLimits from './features/credits/spend-limits.tables.ts';
import * as monthlyStatements from './features/credits/statements.ts';
import * as signIns from './features/identity/sign-ins.ts';
import * as knowledge from './features/knowledge/knowledge.tables.ts';
import * as mailboxes from './features/mailboxes/mailboxes.tables.ts';
import * as models from './features/models/connections.tables.ts';
import * as meaningSearch from './features/models/meaning-search.ts';
import * as modelUsage from './features/models/model-usage.tables.ts';
import * as notifications from './features/notifications/notifications.tables.ts';
import * as organizations from './features/organizations/organizations.tables.ts';
import * as retention from './features/organizations/retention.tables.ts';
import * as playbooks from './features/playbooks/playbooks.tables.ts';
import * as ratings from './features/ratings/ratings.tables.ts';
import * as search from './features/search/search.tables.ts';
import * as sessions from './features/sessions/sessions.tables.ts';
import * as support from './features/support/support.tables.ts';
import * as approvals from './features/tasks/approvals.ts';
import * as tasks from './features/tasks/tasks.tables.ts';
import * as team from './features/team/team.tables.ts';
import * as tools from './features/tools/tools.tables.ts';
import * as webhooks from './features/webhooks/webhooks.ts';
import type { RowOf } from './kernel/columns.ts';
import type { Read } from './kernel/read.ts';
import type { ReadModel, Table } from './kernel/read-model.ts';
import type { VersionedObject } from './kernel/versioned-object.ts';

/** Everything below follows from what these files declare. */
const files = {
  agents,
  apiKeys,
  approvals,
  asOf,
  attachments,
  auditExports,
  auditLog,
  auditPublishing,
  evidence,
  logStream,
  history,
  chat,
  ledger,
  payments,
  spendLimits,
  monthlyStatements,
  signIns,
  knowledge,
  mailboxes,
  models,
  meaningSearch,
  modelUsage,
  notifications,
  organizations,
  retention,
  playbooks,
  ratings,
  search,
  sessions,
  support,
  tasks,
  team,
  tools,
  webhooks,
};

type ExportsOf<F> = F[keyof F];
type Declared = ExportsOf<{ [F in keyof typeof files]: ExportsOf<(typeof files)[F]> }>;
type DeclaredTables = Extract<Declared, ReadModel>['tables'];
type TableName = DeclaredTables extends infer T ? (T extends T ? keyof T & string : never) : never;
type ColumnsOf<N extends TableName> = Extract<DeclaredTables, Record<N, Table>>[N]['columns'];

/** The rows of each table, as projections write them. */
export type ReadModelTables = { [N in TableName]: RowOf<ColumnsOf<N>> };

/** A row of a table. */
export type Row<N extends keyof ReadModelTables> = ReadModelTables[N];

const isReadModel = (value: object): value is ReadModel => 'tables' in value;
const isRead = (value: object): value is Read => 'statements' in value;

/** The declarations of a kind among the exports, and among the members of those that are groups. */
function declared<T>(is: (value: object) => value is T & object, value: unknown): T[] {
  if (typeof value !== 'object' || value === null) return [];
  return is(value) ? [value] : Object.values(value).flatMap((member) => declared(is, member));
}

export const readModels: readonly ReadModel[] = declared(isReadModel, files);
export const reads: readonly Read[] = declared(isRead, files);

const isVersionedObject = (value: object): value is VersionedObject => 'listAsOf' in value;
export const versionedObjects: readonly VersionedObject[] = declared(isVersionedObject, files);

/** The declaration of each table. */
export const tables = Object.assign({}, ...readModels.map((model) => model.tables)) as {
  readonly [N in keyof ReadModelTables]: Table;
};
