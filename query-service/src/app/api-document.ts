import { endpoints } from '@tallyhand/contracts/endpoints';
import { eventsByCategory } from '@tallyhand/contracts/events';
import { openApiDocument } from '@tallyhand/contracts/kernel/openapi';
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
  });
