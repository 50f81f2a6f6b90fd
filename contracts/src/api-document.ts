import { endpoints, exportedByName, isForClients } from './endpoints.ts';
import { eventsByCategory } from './events.ts';
import { WebhookPayload } from './features/webhooks/webhooks.endpoints.ts';
import * as changes from './kernel/changes.ts';
import { clientMethodOf } from './kernel/client-method.ts';
import { openApiDocument } from './kernel/openapi.ts';
import type { Json } from './kernel/openapi-schemas.ts';
import { Sentence } from './kernel/sentence.ts';

const DESCRIPTION = [
  'Organizations build AI agents, give them knowledge, playbooks and tools, run tasks and browsing',
  'sessions, and pay with credits. Sign in with a session cookie, or send an API key as a bearer',
  'token. Errors are problem details (RFC 9457) with a stable `code`. Lists are paged by cursor.',
  'Calls that change something take an `Idempotency-Key`.',
].join(' ');

/** What the calls of each feature are about, for readers of the API document. */
const apiTags = {
  agents: 'Agents: their persona, the resources that they may use, and their history.',
  'api-keys': 'API keys, each with a role, an expiry and its own request limit.',
  attachments: 'Images and documents of chat messages and tasks.',
  audit:
    'The audit log: every event of the organization, exports with proofs, and what was deleted.',
  changes: 'What changes in the organization, as a stream.',
  chat: 'Conversations with agents. Chat costs no credits.',
  credits: 'Credits: the ledger, usage, monthly limits, packages, purchases, receipts and checks.',
  identity: 'Accounts: registration, sign-in, password, two-factor authentication and erasure.',
  knowledge: 'Articles that agents answer from, written or imported.',
  mailboxes: 'Mailboxes whose email agents answer.',
  models: 'Connections to endpoints of models, which agents choose from.',
  notifications: 'Notifications of the caller, and which of them are sent by email.',
  openai: "Agents behind OpenAI's API, for programs that speak it. One call is one task.",
  organizations: 'The organization of the caller and its figures.',
  playbooks: 'Playbooks: instructions that an agent follows step by step.',
  ratings: 'Thumbs up and down on answers, counted for each version of an agent.',
  search: 'Search across agents, articles, playbooks, tools, tasks, sessions and members.',
  sessions: 'Autonomous browsing sessions: start, watch, take over and export.',
  status: 'Whether the product works.',
  support: 'Messages to the operator, and support tickets.',
  tasks: 'Tasks that agents run, one credit each; failed tasks cost nothing.',
  team: 'Members, their roles, invitations and outgoing email.',
  tools: 'Tools that agents call: HTTP APIs, scripts and the browser.',
  webhooks: 'Webhooks: signed deliveries of events, their attempts and redelivery.',
} as const;

/** What the document says of the installation that serves it. */
export type Installation = {
  readonly version: string;
  readonly serverUrl: string;
  /** The name of the sign-in cookie. */
  readonly signInCookie: string;
};

/** The whole API as OpenAPI 3.1. */
export const apiDocument = (installation: Installation): Json =>
  openApiDocument(endpoints, {
    ...installation,
    title: 'Tallyhand',
    description: DESCRIPTION,
    tags: apiTags,
    schemas: { ...exportedByName, ...changes, Sentence },
    events: Object.assign({}, ...Object.values(eventsByCategory)),
    delivery: WebhookPayload,
    clientMethod: (endpoint) => (isForClients(endpoint) ? clientMethodOf(endpoint) : undefined),
  });
