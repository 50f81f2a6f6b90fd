import {
  type AuthorizationServerMetadata,
  assertSecureTokenEndpoint,
  checkResourceAllowed,
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  type OAuthClientInformationMixed,
  type OAuthProtectedResourceMetadata,
  type OAuthTokens,
  refreshAuthorization,
  registerClient,
  resolveClientMetadata,
  resourceUrlFromServerUrl,
  startAuthorization,
} from '@modelcontextprotocol/client';
import { oauthClientOf } from '@tallyhand/contracts/features/tools/oauth-client';
import {
  SignInElsewhere,
  SignInInsecure,
  SignInNeedsClient,
  SignInUnreadable,
} from '@tallyhand/contracts/features/tools/sign-in-failures';
import { isHttpUrl } from '@tallyhand/contracts/kernel/http-url';
import type { OutboundPolicy } from '../guard/destination.ts';
import { fetchThroughGuard } from '../guard/fetch-through-guard.ts';
import type { OutboundLimits } from '../guard/guarded-fetch.ts';
import { type ApiToolConfig, headersOf } from '../tools/api-headers.ts';
import { withDeadline } from '../with-deadline.ts';
import { SignInFailed } from './mcp-failed.ts';
import { signInFailure } from './sign-in-errors.ts';

/** A client at an authorization server, registered by hand or by this product. */
export type McpClient = {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  readonly token_endpoint_auth_method?: string | undefined;
};

/** The authorization server of an MCP server, as it was discovered. */
export type McpAuthority = {
  readonly issuer: string;
  /** Absent for servers of before RFC 8414: their endpoints have fixed paths. */
  readonly metadata?: AuthorizationServerMetadata | undefined;
  readonly client: McpClient;
  /** What the tokens are for (RFC 8707). */
  readonly resource: string;
  readonly redirectUrl: string;
};

/** A sign-in between the authorization page and the return from it. */
export type PendingSignIn = McpAuthority & {
  readonly codeVerifier: string;
  readonly scope?: string | undefined;
};

/** What an authorization server granted. Secret as a whole. */
export type McpGrant = McpAuthority & {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly scope?: string | undefined;
  /** In milliseconds since 1970; absent if the server does not say. */
  readonly expiresAt?: number | undefined;
  /** When the token is renewed, some time before it expires. */
  readonly renewAt?: number | undefined;
};

export type SignInRequest = {
  readonly config: Pick<ApiToolConfig, 'baseUrl' | 'extras' | 'authType'>;
  readonly redirectUrl: string;
  readonly state: string;
  /** Registered by hand. Its secret is for this issuer only, once it is known. */
  readonly client?: (McpClient & { readonly issuer?: string | undefined }) | undefined;
  /** Scopes that a call has lacked. */
  readonly scope?: string | undefined;
  /** Where authorization servers can read what the client is, instead of registering it. */
  readonly clientMetadataUrl?: string | undefined;
};

type Outbound = {
  readonly policy: OutboundPolicy;
  readonly signal: AbortSignal;
  /** Of each request, instead of the usual ones. */
  readonly limits?: Partial<OutboundLimits>;
};

const LIMITS = { headersMs: 10_000, totalMs: 10_000, bodyBytes: 200_000 };
/** For all requests of one step. */
const STEP_MS = 25_000;
const REQUESTS_MAX = 12;
const TEXT_MAX = 4_000;
const ADDRESS_MAX = 12_000;
/** Of a token's lifetime, at most. */
const RENEWED_BEFORE = 0.1;
const RENEWED_BEFORE_MS_MAX = 30_000;
const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'];

/**
 * Finds the authorization server of an MCP server, registers a client there if none is known, and
 * returns the address of its authorization page. Rejects with SignInFailed or the guard's errors.
 */
export function beginSignIn(
  request: SignInRequest,
  outbound: Outbound,
): Promise<{ readonly authorizationUrl: string; readonly pending: PendingSignIn }> {
  return translated(outbound.signal, async () => {
    const fetch = boundedFetch(outbound);
    const { config, redirectUrl, state } = request;
    const challenge = await challengeOf(config, fetch);
    const protectedResource = await resourceMetadataOf(config.baseUrl, challenge, fetch);
    const resource = resourceOf(config.baseUrl, protectedResource);
    const url = authorizationServerOf(config.baseUrl, protectedResource);
    const found = await discoverAuthorizationServerMetadata(url, { fetchFn: fetch });
    if (!found && (protectedResource || !challenge.isUnauthorized)) {
      throw new SignInFailed('The MCP server names no authorization server that can be reached.');
    }
    for (const endpoint of endpointsOf(found, url)) {
      // The package accepts every scheme for a loopback host.
      if (!isHttpUrl(endpoint)) throw new SignInFailed(SignInInsecure({}));
      assertSecureTokenEndpoint(endpoint);
    }
    if (found?.code_challenge_methods_supported?.includes('S256') === false) {
      throw new SignInFailed("The authorization server doesn't support PKCE with S256.");
    }
    const scope = scopeOf(request.scope, challenge.scope, protectedResource, found);
    const issuer = found?.issuer ?? url;
    const metadata = found && keptOf(found);
    const client = await clientFor(request, { url, issuer, found, scope }, fetch);
    const authority = { issuer, metadata, client, resource, redirectUrl };
    const started = await startAuthorization(url, {
      ...(found && { metadata: found }),
      clientInformation: informationOf(client),
      redirectUrl,
      state,
      resource,
      ...(scope && { scope }),
    });
    const authorizationUrl = started.authorizationUrl.href;
    if (authorizationUrl.length > ADDRESS_MAX) throw unreadable();
    return {
      authorizationUrl,
      pending: { ...authority, scope, codeVerifier: started.codeVerifier },
    };
  });
}

/** Exchanges the code that the authorization page has returned. Rejects as `beginSignIn` does. */
export function completeSignIn(
  { codeVerifier, scope, ...authority }: PendingSignIn,
  { code, iss }: { readonly code: string; readonly iss?: string | undefined },
  now: number,
  outbound: Outbound,
): Promise<McpGrant> {
  return translated(outbound.signal, async () => {
    const { issuer, metadata, client, resource, redirectUrl } = authority;
    const tokens = await exchangeAuthorization(issuer, {
      ...(metadata && { metadata }),
      clientInformation: informationOf(client),
      authorizationCode: code,
      ...(iss !== undefined && { iss }),
      codeVerifier,
      redirectUri: redirectUrl,
      resource,
      fetchFn: boundedFetch(outbound),
    });
    return grantOf({ ...authority, scope }, tokens, now);
  });
}

/** Gets another access token. Rejects with SignInRefused, and as `beginSignIn` does. */
export function renewGrant(grant: McpGrant, now: number, outbound: Outbound): Promise<McpGrant> {
  return translated(outbound.signal, async () => {
    const { issuer, metadata, client, resource, refreshToken } = grant;
    const tokens = await refreshAuthorization(issuer, {
      ...(metadata && { metadata }),
      clientInformation: informationOf(client),
      refreshToken: refreshToken ?? '',
      resource,
      fetchFn: boundedFetch(outbound),
    });
    return grantOf(grant, tokens, now);
  });
}

type Fetch = typeof fetch;

/** `fetch` of one step: through the guard, without redirects, bounded in all. */
function boundedFetch({ policy, signal, limits }: Outbound): Fetch {
  const guarded = fetchThroughGuard(policy, { ...LIMITS, ...limits });
  const end = withDeadline(signal, STEP_MS);
  let sent = 0;
  return (input, init) => {
    sent += 1;
    if (sent > REQUESTS_MAX) throw new SignInFailed('The sign-in needs too many requests.');
    return guarded(input, { ...init, signal: end });
  };
}

async function translated<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    throw signInFailure(error);
  }
}

type Challenge = {
  readonly isUnauthorized: boolean;
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
};

/** What the server answers to a first request without a token. */
async function challengeOf(config: SignInRequest['config'], fetch: Fetch): Promise<Challenge> {
  const { accept: _, ...extras } = headersOf(config, 'application/json');
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'tallyhand', version: '1' },
  };
  const response = await fetch(config.baseUrl, {
    method: 'POST',
    headers: { ...extras, accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  });
  await response.body?.cancel();
  const isUnauthorized = response.status === 401;
  if (!isUnauthorized) return { isUnauthorized };
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return { isUnauthorized, resourceMetadataUrl, scope };
}

/** RFC 9728. Servers of before it have none. */
async function resourceMetadataOf(
  serverUrl: string,
  { resourceMetadataUrl }: Challenge,
  fetch: Fetch,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  try {
    const options = resourceMetadataUrl ? { resourceMetadataUrl } : {};
    return await discoverOAuthProtectedResourceMetadata(serverUrl, options, fetch);
  } catch (error) {
    // The package throws a plain Error for an answer that is not 2xx.
    const isMissing = error instanceof Error && error.constructor === Error;
    if (!isMissing || resourceMetadataUrl) throw error;
    return undefined;
  }
}

function resourceOf(serverUrl: string, metadata?: OAuthProtectedResourceMetadata): string {
  const requestedResource = resourceUrlFromServerUrl(serverUrl);
  if (!metadata) return requestedResource.href;
  const { resource: configuredResource } = metadata;
  if (checkResourceAllowed({ requestedResource, configuredResource })) return configuredResource;
  throw new SignInFailed('The MCP server describes another server, whose tokens it must not get.');
}

function authorizationServerOf(serverUrl: string, metadata?: OAuthProtectedResourceMetadata) {
  const [first] = metadata?.authorization_servers ?? [];
  return first ?? new URL('/', serverUrl).href;
}

function endpointsOf(metadata: AuthorizationServerMetadata | undefined, url: string): string[] {
  if (!metadata) return [url];
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  return [url, authorization_endpoint, token_endpoint, registration_endpoint].filter(
    (endpoint) => endpoint !== undefined,
  );
}

/** The parts that are needed after the return from the authorization page. */
function keptOf(found: AuthorizationServerMetadata): AuthorizationServerMetadata {
  const {
    issuer,
    authorization_endpoint,
    token_endpoint,
    token_endpoint_auth_methods_supported,
    authorization_response_iss_parameter_supported,
  } = found;
  return {
    issuer,
    authorization_endpoint,
    token_endpoint,
    response_types_supported: ['code'],
    token_endpoint_auth_methods_supported: token_endpoint_auth_methods_supported?.filter((method) =>
      AUTH_METHODS.includes(method),
    ),
    authorization_response_iss_parameter_supported,
  } as AuthorizationServerMetadata;
}

/** What a call lacked and the server demands, else all that the server knows. */
function scopeOf(
  lacked: string | undefined,
  demanded: string | undefined,
  resource: OAuthProtectedResourceMetadata | undefined,
  server: AuthorizationServerMetadata | undefined,
): string | undefined {
  const scope = computeScopeUnion(lacked, demanded) ?? resource?.scopes_supported?.join(' ');
  if (!scope) return undefined;
  // Without this scope many servers give no refresh token.
  const isOffered = server?.scopes_supported?.includes('offline_access');
  const whole = isOffered ? computeScopeUnion(scope, 'offline_access') : scope;
  if (whole && (whole.length > TEXT_MAX || !/^[\x21\x23-\x5b\x5d-\x7e ]+$/.test(whole))) {
    throw new SignInFailed("The MCP server demands scopes that can't be requested.");
  }
  return whole;
}

type Server = {
  readonly url: string;
  readonly issuer: string;
  readonly found: AuthorizationServerMetadata | undefined;
  readonly scope: string | undefined;
};

async function clientFor(
  { client, redirectUrl, clientMetadataUrl }: SignInRequest,
  { url, issuer, found, scope }: Server,
  fetch: Fetch,
): Promise<McpClient> {
  if (client) {
    const { issuer: own = issuer, ...kept } = client;
    if (own === issuer) return kept;
    throw new SignInFailed(SignInElsewhere({}));
  }
  if (clientMetadataUrl && found?.client_id_metadata_document_supported) {
    return { client_id: clientMetadataUrl, token_endpoint_auth_method: 'none' };
  }
  if (found && !found.registration_endpoint) {
    throw new SignInFailed(SignInNeedsClient({}));
  }
  const supported = found?.token_endpoint_auth_methods_supported;
  const method = AUTH_METHODS.find((one) => !supported || supported.includes(one)) ?? 'none';
  const registered = await registerClient(url, {
    ...(found && { metadata: found }),
    clientMetadata: resolveClientMetadata({
      redirectUrl,
      clientMetadata: { ...oauthClientOf(redirectUrl), token_endpoint_auth_method: method },
    }),
    ...(scope && { scope }),
    fetchFn: fetch,
  });
  const { client_id, client_secret, token_endpoint_auth_method } = registered;
  return { client_id, client_secret, token_endpoint_auth_method };
}

/** In the package's words, which leave out what is absent. */
function informationOf(client: McpClient): OAuthClientInformationMixed {
  const { client_id, client_secret, token_endpoint_auth_method } = client;
  const words = `${client_id}${client_secret ?? ''}`;
  if (words.length > 2 * TEXT_MAX || !/^[\x20-\x7e]+$/.test(words)) {
    throw new SignInFailed("The client's id or secret has characters that can't be sent.");
  }
  return {
    client_id,
    ...(client_secret && { client_secret }),
    ...(token_endpoint_auth_method && { token_endpoint_auth_method }),
  } as OAuthClientInformationMixed;
}

function grantOf(
  {
    issuer,
    metadata,
    client,
    resource,
    redirectUrl,
    scope,
  }: McpAuthority & {
    readonly scope?: string | undefined;
  },
  tokens: OAuthTokens,
  now: number,
): McpGrant {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = tokens;
  const isUsable = /^[\x21-\x7e]{1,16000}$/.test(accessToken);
  if (!isUsable || tokens.token_type.toLowerCase() !== 'bearer') {
    throw new SignInFailed("The authorization server gave a token that can't be used.");
  }
  const authority = { issuer, metadata, client, resource, redirectUrl };
  const granted = { ...authority, accessToken, refreshToken, scope: tokens.scope ?? scope };
  if (seconds === undefined || !(seconds > 0)) return granted;
  const lifeMs = seconds * 1_000;
  const earlyMs = Math.min(lifeMs * RENEWED_BEFORE, RENEWED_BEFORE_MS_MAX);
  return { ...granted, expiresAt: now + lifeMs, renewAt: now + lifeMs - earlyMs };
}

const unreadable = () => new SignInFailed(SignInUnreadable({}));
