import { endpoints } from '@tallyhand/contracts/endpoints';
import { eventsByCategory } from '@tallyhand/contracts/events';
import * as agents from '@tallyhand/contracts/features/agents/agents.refusals';
import * as apiKeys from '@tallyhand/contracts/features/api-keys/api-keys.refusals';
import * as audit from '@tallyhand/contracts/features/audit/audit-exports.refusals';
import * as chat from '@tallyhand/contracts/features/chat/chat.refusals';
import * as credits from '@tallyhand/contracts/features/credits/credits.refusals';
import * as payments from '@tallyhand/contracts/features/credits/payments.refusals';
import * as identity from '@tallyhand/contracts/features/identity/identity.refusals';
import * as knowledge from '@tallyhand/contracts/features/knowledge/knowledge.refusals';
import * as mailboxes from '@tallyhand/contracts/features/mailboxes/mailboxes.refusals';
import * as organizations from '@tallyhand/contracts/features/organizations/organizations.refusals';
import * as sessions from '@tallyhand/contracts/features/sessions/sessions.refusals';
import * as support from '@tallyhand/contracts/features/support/support.refusals';
import * as tasks from '@tallyhand/contracts/features/tasks/tasks.refusals';
import * as team from '@tallyhand/contracts/features/team/team.refusals';
import * as webhooks from '@tallyhand/contracts/features/webhooks/webhooks.refusals';
import * as changes from '@tallyhand/contracts/kernel/change-refusals';
import { openApiDocument } from '@tallyhand/contracts/kernel/openapi';
import { OrganizationQueueFull, ServerQueueFull } from '@tallyhand/contracts/kernel/problem';
import { signInCookieName } from '@tallyhand/service-kit/http/cookies';
import manifest from '../../package.json' with { type: 'json' };

/** The whole API as OpenAPI 3.1, the calls of the command service included. */
export const apiDocument = (publicUrl: string) =>
  openApiDocument(endpoints, {
    title: 'Tallyhand',
    version: manifest.version,
    serverUrl: publicUrl,
    signInCookie: signInCookieName(publicUrl),
    events: Object.assign({}, ...Object.values(eventsByCategory)),
    refusals: Object.values({
      OrganizationQueueFull,
      ServerQueueFull,
      ...audit,
      ...agents,
      ...apiKeys,
      ...chat,
      ...credits,
      ...payments,
      ...identity,
      ...changes,
      ...knowledge,
      ...mailboxes,
      ...organizations,
      ...sessions,
      ...support,
      ...tasks,
      ...team,
      ...webhooks,
    }),
  });
