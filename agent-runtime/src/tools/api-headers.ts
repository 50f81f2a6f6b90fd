import { type ApiKeyPlace, DEFAULT_KEY_PLACE } from '@tallyhand/contracts/features/tools/key-place';
import { isConnectionHeader } from '../guard/request-headers.ts';
import { type QueryPairs, ToolCallRefused } from './api-url.ts';

export type ApiToolConfig = {
  baseUrl: string;
  authType: 'none' | 'apikey' | 'bearer' | 'basic' | 'oauth';
  /** Sent as headers; never secret. */
  extras: Record<string, string>;
  /** The place of the key; by default the header x-api-key. An OpenAPI document may name it. */
  apiKeyPlace?: ApiKeyPlace;
};

export type ApiCredentials = {
  apiKey?: string;
  token?: string;
  username?: string;
  password?: string;
};

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const credentialHeaders = ['authorization', 'cookie'];

/**
 * The extras of a tool in lower case, with the type of the body where they don't name one. Throws
 * ToolCallRefused for a header that a tool can't set.
 */
export function headersOf(
  { extras }: Pick<ApiToolConfig, 'extras'>,
  bodyType: string | undefined,
): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json, */*;q=0.5' };
  if (bodyType !== undefined) headers['content-type'] = bodyType;
  for (const [given, value] of Object.entries(extras)) {
    const name = given.toLowerCase();
    const isOurs = isConnectionHeader(name) || credentialHeaders.includes(name);
    if (isOurs || !headerName.test(given) || !headerValue.test(value)) {
      const shown = headerName.test(given) ? `"${given}" ` : '';
      throw new ToolCallRefused(`The header ${shown}can't be set by the tool's extra settings.`);
    }
    headers[name] = value;
  }
  return headers;
}

/** What carries the credentials. Throws ToolCallRefused when they are missing or can't be sent. */
export function authorizationOf(
  { authType, apiKeyPlace = DEFAULT_KEY_PLACE }: ApiToolConfig,
  { apiKey, token, username, password }: ApiCredentials,
): { headers: Record<string, string>; query: QueryPairs } {
  switch (authType) {
    case 'none':
      return { headers: {}, query: [] };
    case 'apikey': {
      const key = usable(apiKey, 'an API key');
      if (apiKeyPlace.in === 'query') return { headers: {}, query: [[apiKeyPlace.name, key]] };
      const name = apiKeyPlace.name.toLowerCase();
      if (!headerName.test(name) || isConnectionHeader(name)) {
        throw new ToolCallRefused("The document names a header for the key that can't be sent.");
      }
      return { headers: { [name]: key }, query: [] };
    }
    case 'bearer':
      return { headers: { authorization: `Bearer ${usable(token, 'a token')}` }, query: [] };
    case 'basic': {
      if (username === undefined || username.includes(':')) {
        throw new ToolCallRefused('The tool needs a user name, without a colon.');
      }
      const pair = Buffer.from(`${username}:${password ?? ''}`).toString('base64');
      return { headers: { authorization: `Basic ${pair}` }, query: [] };
    }
    case 'oauth':
      throw new ToolCallRefused('Only MCP servers are called with tokens of a sign-in.');
  }
}

/** Must not appear in answers or reach the model. */
export function secretsOf(
  { authType }: ApiToolConfig,
  { apiKey, token, username = '', password = '' }: ApiCredentials,
): string[] {
  // Without a password the user name is the key, as in several APIs.
  const pair = `${username}:${password}`;
  const ofBasic = password === '' ? [username, pair] : [password, pair];
  return [
    apiKey?.trim() ?? '',
    token?.trim() ?? '',
    ...(authType === 'basic' ? ofBasic : [password]),
  ];
}

function usable(secret: string | undefined, what: string): string {
  const trimmed = secret?.trim() ?? '';
  if (trimmed === '' || !/^[\x20-\x7e]+$/.test(trimmed)) {
    throw new ToolCallRefused(`The tool needs ${what} of printable characters.`);
  }
  return trimmed;
}
