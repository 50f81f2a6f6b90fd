import { apiDocument as documentOf } from '@tallyhand/contracts/api-document';
import { signInCookieName } from '@tallyhand/service-kit/http/cookies';
import manifest from '../../package.json' with { type: 'json' };

/** The API document of the installation at this address. */
export const apiDocument = (publicUrl: string) =>
  documentOf({
    version: manifest.version,
    serverUrl: publicUrl,
    signInCookie: signInCookieName(publicUrl),
  });
