import { answerExample } from '@tallyhand/contracts/answer-examples';
import { apiTags } from '@tallyhand/contracts/api-tags';
import { endpoints, exportedByName } from '@tallyhand/contracts/endpoints';
import { eventsByCategory } from '@tallyhand/contracts/events';
import { WebhookPayload } from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import * as changes from '@tallyhand/contracts/kernel/changes';
import { openApiDocument } from '@tallyhand/contracts/kernel/openapi';
import { signInCookieName } from '@tallyhand/service-kit/http/cookies';
import manifest from '../../package.json' with { type: 'json' };

const DESCRIPTION = [
  'Organizations build AI agents, give them knowledge, playbooks and tools, run tasks and browsing',
  'sessions, and pay with credits. Sign in with a session cookie, or send an API key as a bearer',
  'token. Errors are problem details (RFC 9457) with a stable `code`. Lists are paged by cursor.',
  'Calls that change something take an `Idempotency-Key`.',
].join(' ');

/** The whole API as OpenAPI 3.1, including the command service. */
export const apiDocument = (publicUrl: string) =>
  openApiDocument(endpoints, {
    title: 'Tallyhand',
    version: manifest.version,
    description: DESCRIPTION,
    serverUrl: publicUrl,
    signInCookie: signInCookieName(publicUrl),
    tags: apiTags,
    schemas: { ...exportedByName, ...changes },
    events: Object.assign({}, ...Object.values(eventsByCategory)),
    delivery: WebhookPayload,
    answerExample,
  });
