import * as agents from './features/agents/agents.endpoints.ts';
import * as apiKeys from './features/api-keys/api-keys.endpoints.ts';
import * as attachments from './features/attachments/attachments.endpoints.ts';
import * as audit from './features/audit/audit.endpoints.ts';
import * as auditExports from './features/audit/audit-exports.endpoints.ts';
import * as auditPublishing from './features/audit/audit-publishing.endpoints.ts';
import * as deletions from './features/audit/deletions.endpoints.ts';
import * as evidence from './features/audit/evidence.endpoints.ts';
import * as logStream from './features/audit/log-stream.endpoints.ts';
import * as changes from './features/changes/changes.endpoints.ts';
import * as chat from './features/chat/chat.endpoints.ts';
import * as chatBudget from './features/chat/chat-budget.endpoints.ts';
import * as credits from './features/credits/credits.endpoints.ts';
import * as payments from './features/credits/payments.endpoints.ts';
import { WebhookNotSigned } from './features/credits/payments.refusals.ts';
import * as statements from './features/credits/statements.endpoints.ts';
import * as account from './features/identity/account.endpoints.ts';
import * as identity from './features/identity/identity.endpoints.ts';
import * as knowledge from './features/knowledge/knowledge.endpoints.ts';
import * as mailboxes from './features/mailboxes/mailboxes.endpoints.ts';
import * as meaningSearch from './features/models/meaning-search.endpoints.ts';
import * as modelCredits from './features/models/model-credits.endpoints.ts';
import * as models from './features/models/models.endpoints.ts';
import * as notifications from './features/notifications/notifications.endpoints.ts';
import * as embeddings from './features/openai/embeddings.endpoints.ts';
import * as openai from './features/openai/openai.endpoints.ts';
import * as organizations from './features/organizations/organizations.endpoints.ts';
import * as retention from './features/organizations/retention.endpoints.ts';
import * as playbooks from './features/playbooks/playbooks.endpoints.ts';
import * as ratings from './features/ratings/ratings.endpoints.ts';
import * as search from './features/search/search.endpoints.ts';
import * as sessions from './features/sessions/sessions.endpoints.ts';
import * as status from './features/status/status.endpoints.ts';
import * as support from './features/support/support.endpoints.ts';
import * as approvals from './features/tasks/approvals.endpoints.ts';
import * as comparisons from './features/tasks/comparisons.endpoints.ts';
import * as tasks from './features/tasks/tasks.endpoints.ts';
import * as team from './features/team/team.endpoints.ts';
import * as tools from './features/tools/tools.endpoints.ts';
import * as webhooks from './features/webhooks/webhooks.endpoints.ts';
import type { Endpoint } from './kernel/endpoint.ts';

const features = {
  agents,
  apiKeys,
  attachments,
  audit,
  auditExports,
  auditPublishing,
  logStream,
  evidence,
  deletions,
  changes,
  chat,
  credits,
  payments,
  statements,
  account,
  identity,
  knowledge,
  mailboxes,
  chatBudget,
  meaningSearch,
  modelCredits,
  models,
  notifications,
  openai,
  embeddings,
  organizations,
  retention,
  playbooks,
  ratings,
  search,
  sessions,
  status,
  support,
  approvals,
  comparisons,
  tasks,
  team,
  tools,
  webhooks,
};

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'path' in value && 'method' in value;

/** Every API call, sorted by feature name. */
export const endpoints: readonly Endpoint[] = Object.values(features)
  .flatMap((feature) => Object.values(feature) as unknown[])
  .filter(isEndpoint);

/**
 * Whether client libraries make the call. Those that payment providers make, and sign, are none. Calls
 * of another protocol have the libraries of that protocol.
 */
export const isForClients = ({ refusals = [], protocol }: Endpoint): boolean =>
  !refusals.includes(WebhookNotSigned) && protocol === undefined;

/** What the modules of the calls export: its schemas have their names in the API document. */
export const exportedByName: Readonly<Record<string, unknown>> = Object.assign(
  {},
  ...Object.values(features),
);
