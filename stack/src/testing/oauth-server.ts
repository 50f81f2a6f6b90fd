import type { RequestListener } from 'node:http';
import { mcpPeer, type PeerTool } from '@tallyhand/agent-runtime/mcp/fixtures/mcp-peer';
import { httpServer } from '@tallyhand/test-kit/http-server';
import Provider, { type ClientMetadata } from 'oidc-provider';

export type AuthorizationServer = AsyncDisposable & {
  readonly issuer: string;
  /** The grant types that were answered with tokens, in order. */
  readonly granted: string[];
  /** All values that were issued as access or refresh tokens, codes or secrets of clients. */
  readonly secrets: Set<string>;
  /** In seconds, of the next access tokens. */
  lifetime: number;
  /** Whether a request may carry this token for the resource. */
  accepts(token: string, resource: string): Promise<boolean>;
  /** Withdraws what the member with this token has granted. */
  revoke(token: string): Promise<void>;
};

/**
 * The real oidc-provider, where clients register themselves and every name signs in. `clients` were
 * registered by hand.
 */
export async function authorizationServer(
  clients: ClientMetadata[] = [],
): Promise<AuthorizationServer> {
  let listener: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = await httpServer((...call) => listener(...call));
  const issuer = server.origin;
  const provider = new Provider(issuer, {
    clients,
    scopes: ['openid', 'offline_access', 'stock', 'admin'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: 'stock',
          audience: resource,
          accessTokenTTL: own.lifetime,
          accessTokenFormat: 'opaque',
        }),
      },
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    ttl: { RefreshToken: 3_600, Session: 3_600, Grant: 3_600, Interaction: 600 },
  });
  const own: AuthorizationServer = {
    issuer,
    granted: [],
    secrets: new Set(),
    lifetime: 3_600,
    async accepts(token, resource) {
      const found = await provider.AccessToken.find(token);
      return found !== undefined && !found.isExpired && found.aud === resource;
    },
    async revoke(token) {
      const found = await provider.AccessToken.find(token);
      const grantId = found?.grantId ?? '';
      await (await provider.Grant.find(grantId))?.destroy();
      for (const model of [provider.RefreshToken, provider.AccessToken]) {
        await model.revokeByGrantId(grantId);
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  provider.on('grant.success', ({ oidc, body }) => {
    own.granted.push(String(oidc.params?.grant_type));
    const { access_token, refresh_token } = body as Record<string, string>;
    for (const one of [access_token, refresh_token, oidc.params?.code]) {
      if (one) own.secrets.add(String(one));
    }
  });
  provider.on('registration_create.success', (_context, { clientSecret }) => {
    if (clientSecret) own.secrets.add(clientSecret);
  });
  listener = provider.callback();
  return own;
}

/** An MCP server that demands tokens of the authorization server. */
export async function protectedMcpServer(tools: PeerTool[], authority: AuthorizationServer) {
  const peer = await mcpPeer(tools);
  const metadata = `${new URL(peer.url).origin}/.well-known/oauth-protected-resource/mcp`;
  const own = {
    peer,
    url: peer.url,
    /** Whether the 401 names the metadata. */
    isNamed: true,
    /** The authorization server that its metadata names. */
    issuer: authority.issuer,
    /** The tokens that calls came with. */
    tokens: new Set<string>(),
    /** Refused, although the authorization server knows it. */
    refusedToken: '',
    /** Demanded of calls that come with a token. */
    missingScope: '',
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
  peer.before = async ({ url = '', headers }, response) => {
    if (url === new URL(metadata).pathname) {
      const described = {
        resource: peer.url,
        authorization_servers: [own.issuer],
        scopes_supported: ['stock'],
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(described));
      return true;
    }
    const [, token = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
    if (token !== '') own.tokens.add(token);
    const isKnown = token !== own.refusedToken && (await authority.accepts(token, peer.url));
    if (isKnown && own.missingScope === '') return false;
    if (isKnown) {
      const challenge = `Bearer error="insufficient_scope", scope="${own.missingScope}"`;
      response.writeHead(403, { 'www-authenticate': challenge }).end();
      return true;
    }
    const named = own.isNamed ? ` resource_metadata="${metadata}"` : ' realm="stock"';
    response.writeHead(401, { 'www-authenticate': `Bearer${named}` }).end();
    return true;
  };
  return own;
}

/**
 * Goes through an authorization page as a member's browser does: follows redirects, sends its
 * forms, and stops where it leads to the address that begins with `until`. `press` may refuse.
 */
export async function followPages(
  from: string,
  until: string,
  isGranted: (page: string) => boolean = () => true,
): Promise<URL> {
  const cookies = new Map<string, string>();
  let next: { url: string; body?: URLSearchParams } = { url: from };
  for (let hops = 0; hops < 20; hops += 1) {
    if (next.url.startsWith(until)) return new URL(next.url);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(next.url, {
      method: next.body ? 'POST' : 'GET',
      headers: { cookie },
      redirect: 'manual',
      ...(next.body && { body: next.body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const page = await response.text();
    next = location
      ? { url: new URL(location, next.url).href }
      : answered(page, next.url, isGranted(page));
  }
  throw new Error(`The pages did not lead to ${until}.`);
}

function answered(page: string, url: string, isGranted: boolean) {
  const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
  const [, cancel = ''] = /<a href="([^"]+\/abort)"/.exec(page) ?? [];
  if (action === '') throw new Error(`No form at ${url}: ${page.slice(0, 2_000)}`);
  if (!isGranted) return { url: new URL(cancel, url).href };
  const body = new URLSearchParams({ login: 'member', password: 'any' });
  for (const [, name = '', value = ''] of page.matchAll(
    /<input type="hidden" name="([^"]+)" value="([^"]*)"/g,
  )) {
    body.set(name, value);
  }
  return { url: new URL(action, url).href, body };
}
