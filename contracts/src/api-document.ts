import { answerExample } from './answer-examples.ts';
import { apiTags } from './api-tags.ts';
import { endpoints, exportedByName, isForClients } from './endpoints.ts';
import { eventsByCategory } from './events.ts';
import { WebhookPayload } from './features/webhooks/webhooks.endpoints.ts';
import * as changes from './kernel/changes.ts';
import { clientMethodOf } from './kernel/client-method.ts';
import { openApiDocument } from './kernel/openapi.ts';
import type { Json } from './kernel/openapi-schemas.ts';

const DESCRIPTION = [
  'Organizations build AI agents, give them knowledge, playbooks and tools, run tasks and browsing',
  'sessions, and pay with credits. Sign in with a session cookie, or send an API key as a bearer',
  'token. Errors are problem details (RFC 9457) with a stable `code`. Lists are paged by cursor.',
  'Calls that change something take an `Idempotency-Key`.',
].join(' ');

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
    schemas: { ...exportedByName, ...changes },
    events: Object.assign({}, ...Object.values(eventsByCategory)),
    delivery: WebhookPayload,
    answerExample,
    clientMethod: (endpoint) => (isForClients(endpoint) ? clientMethodOf(endpoint) : undefined),
  });
