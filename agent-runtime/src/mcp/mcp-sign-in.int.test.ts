import type { ServerResponse } from 'node:http';
import { type LocalServer, localServer } from '@tallyhand/test-kit/http-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAllowedHosts } from '../guard/allowed-hosts.ts';
import { beginSignIn, completeSignIn, type PendingSignIn, renewGrant } from './mcp-sign-in.ts';

const RETURN = 'https://tallyhand.example.com/tools/signed-in';
const PRM = '/.well-known/oauth-protected-resource/mcp';
const METADATA = '/.well-known/oauth-authorization-server';
const PRIVATE = 'http://10.11.12.13';

type Answer = unknown | ((response: ServerResponse) => void);

let server: LocalServer;
/** What the server answers by path; a function answers itself. */
let answers: Record<string, Answer>;

beforeEach(async () => {
  server = await localServer((request, response) => {
    const answer = answers[request.url ?? ''];
    if (typeof answer === 'function') return void answer(response);
    const status = answer === undefined ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  answers = {
    '/mcp': unauthorized(''),
    [PRM]: { resource: `${server.origin}/mcp`, authorization_servers: [server.origin] },
    [METADATA]: metadata({}),
    '/register': { client_id: 'one', client_secret: 'secret-of-one', redirect_uris: [RETURN] },
    '/token': { access_token: 'token-1', refresh_token: 'refresh-1', token_type: 'Bearer' },
  };
});
afterEach(() => server[Symbol.asyncDispose]());

const unauthorized = (challenge: string) => (response: ServerResponse) =>
  void response.writeHead(401, { 'www-authenticate': `Bearer ${challenge}` }).end();

const metadata = (rest: object) => ({
  issuer: server.origin,
  authorization_endpoint: `${server.origin}/authorize`,
  token_endpoint: `${server.origin}/token`,
  registration_endpoint: `${server.origin}/register`,
  response_types_supported: ['code'],
  ...rest,
});

const outbound = () => ({
  policy: { ownOrigins: [], allowedHosts: parseAllowedHosts('127.0.0.1') },
  signal: new AbortController().signal,
  limits: { headersMs: 500, totalMs: 500 },
});

const begin = (rest: object = {}) =>
  beginSignIn(
    {
      config: { baseUrl: `${server.origin}/mcp`, authType: 'oauth', extras: { 'X-Team': 'blue' } },
      redirectUrl: RETURN,
      state: 'a-state',
      ...rest,
    },
    outbound(),
  );
const complete = (pending: PendingSignIn, code = 'a-code') =>
  completeSignIn(pending, { code }, 1_000, outbound());
const paths = () => server.requests.map(({ url }) => url);

/** An answer without end: as fast as it can, or nothing at all. */
function flood(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(10_000)));
  };
  response.on('drain', more);
  more();
}
const silence = (response: ServerResponse) => void response.writeHead(200).flushHeaders();
const redirect = (response: ServerResponse) =>
  void response.writeHead(302, { location: `${PRIVATE}/` }).end();

describe('a sign-in', () => {
  it('leads to the page with PKCE, the state and the resource', async () => {
    const { authorizationUrl, pending } = await begin();
    expect(Object.fromEntries(new URL(authorizationUrl).searchParams)).toEqual({
      response_type: 'code',
      client_id: 'one',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      redirect_uri: RETURN,
      state: 'a-state',
      resource: `${server.origin}/mcp`,
    });
    expect(authorizationUrl).not.toContain(pending.codeVerifier);
    expect(server.requests[0]?.headers['x-team']).toBe('blue');
  });

  it('exchanges the code, and sends secrets to the token endpoint only', async () => {
    const { pending } = await begin();
    const grant = await complete(pending);
    expect(grant).toMatchObject({ accessToken: 'token-1', refreshToken: 'refresh-1' });
    await renewGrant(grant, 1_000, outbound());
    for (const { url, headers, body } of server.requests) {
      const sent = JSON.stringify([headers, body]);
      const secret = Buffer.from('one:secret-of-one').toString('base64');
      expect(sent.includes(secret) || sent.includes('refresh-1')).toBe(url === '/token');
    }
    const [exchange, renewal] = server.requests
      .filter(({ url }) => url === '/token')
      .map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    expect(exchange).toEqual({
      grant_type: 'authorization_code',
      code: 'a-code',
      code_verifier: pending.codeVerifier,
      redirect_uri: RETURN,
      resource: `${server.origin}/mcp`,
    });
    expect(renewal).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'refresh-1' });
  });

  it('renews some time before the end of a lifetime', async () => {
    const token = answers['/token'] as object;
    answers['/token'] = { ...token, expires_in: 3_600 };
    const long = await complete((await begin()).pending);
    expect(long).toMatchObject({ expiresAt: 3_601_000, renewAt: 3_571_000 });
    answers['/token'] = { ...token, expires_in: 10 };
    const short = await complete((await begin()).pending);
    expect(short).toMatchObject({ expiresAt: 11_000, renewAt: 10_000 });
    answers['/token'] = { ...token, expires_in: -5 };
    expect((await complete((await begin()).pending)).renewAt).toBeUndefined();
  });

  it('uses a client that was registered by hand, at its own server only', async () => {
    const client = { client_id: 'mine', client_secret: 'of-mine' };
    const { authorizationUrl } = await begin({ client: { ...client, issuer: server.origin } });
    expect(authorizationUrl).toContain('client_id=mine');
    expect(paths()).not.toContain('/register');
    const moved = begin({ client: { ...client, issuer: 'https://auth.example.com' } });
    await expect(moved).rejects.toThrow('another authorization server now');
  });

  it('needs a client by hand where none can register', async () => {
    answers[METADATA] = metadata({ registration_endpoint: undefined });
    await expect(begin()).rejects.toThrow('Register one there by hand');
    answers[METADATA] = metadata({});
    answers['/register'] = (response: ServerResponse) =>
      response.writeHead(403).end('{"error": "access_denied"}');
    await expect(begin()).rejects.toThrow('(status 403)');
  });
});

describe('the first answer', () => {
  it('is left at once, even if it never ends', async () => {
    answers['/mcp'] = silence;
    const { limits: _, ...usual } = outbound();
    const config = { baseUrl: `${server.origin}/mcp`, authType: 'oauth' as const, extras: {} };
    const begun = await beginSignIn({ config, redirectUrl: RETURN, state: 'a-state' }, usual);
    expect(begun.authorizationUrl).toContain('/authorize');
    await server.idle();
  });
});

describe('a hostile server', () => {
  it.each([
    ['names metadata on a private host', () => unauthorized(`resource_metadata="${PRIVATE}/prm"`)],
    ['redirects the first request', () => redirect],
  ])('that %s is refused', async (_, answer) => {
    answers['/mcp'] = answer();
    await expect(begin()).rejects.toThrow(/private|redirects/);
  });

  it.each([
    ['a redirect', PRM, redirect, 'redirects'],
    ['a flood', PRM, flood, 'more than is accepted'],
    ['silence', PRM, silence, /time/],
    ['a redirect', METADATA, redirect, 'redirects'],
    ['a flood', METADATA, flood, 'more than is accepted'],
    ['silence', METADATA, silence, /time/],
    ['a list', METADATA, [], "can't be read"],
    ['a redirect', '/register', redirect, 'redirects'],
    ['a flood', '/register', flood, 'more than is accepted'],
    ['a number as id', '/register', { client_id: 7 }, "can't be read"],
    ['lines as id', '/register', { client_id: 'a\nb', redirect_uris: [RETURN] }, "can't be sent"],
  ])('that answers with %s at %s is refused', async (_, path, answer, sentence) => {
    answers[path] = answer;
    await expect(begin()).rejects.toThrow(sentence);
  });

  it.each([
    ['javascript:alert(1)', 'must begin with https'],
    ['javascript://localhost/%0aalert(1)', 'must begin with https'],
    ['data:text/html,one', 'must begin with https'],
    ['ftp://localhost/authorize', 'must begin with https'],
    ['http://member:secret@localhost/authorize', 'must begin with https'],
    ['file:///etc/passwd', 'must begin with https'],
    ['http://auth.example.com/authorize', 'must begin with https'],
  ])('with the authorization page %s is refused', async (page, sentence) => {
    answers[METADATA] = metadata({ authorization_endpoint: page });
    await expect(begin()).rejects.toThrow(sentence);
    expect(paths()).not.toContain('/register');
  });

  it.each(['token_endpoint', 'registration_endpoint'])(
    'with a plain %s is refused',
    async (name) => {
      answers[METADATA] = metadata({ [name]: 'http://auth.example.com/' });
      await expect(begin()).rejects.toThrow('must begin with https');
    },
  );

  it('that names another issuer, another resource or a private server is refused', async () => {
    answers[METADATA] = metadata({ issuer: 'https://bank.example.com' });
    await expect(begin()).rejects.toThrow('says that it is another one');
    answers[PRM] = { resource: 'https://bank.example.com/mcp', authorization_servers: [] };
    await expect(begin()).rejects.toThrow('describes another server');
    answers[PRM] = { resource: `${server.origin}/mcp`, authorization_servers: [PRIVATE] };
    await expect(begin()).rejects.toThrow(/private/);
  });

  it('without PKCE, or with scopes that are none, is refused', async () => {
    answers[METADATA] = metadata({ code_challenge_methods_supported: ['plain'] });
    await expect(begin()).rejects.toThrow("doesn't support");
    answers[METADATA] = metadata({});
    answers['/mcp'] = unauthorized(`scope="${'x'.repeat(5_000)}"`);
    await expect(begin()).rejects.toThrow("scopes that can't be requested");
  });

  it('that names no authorization server is refused', async () => {
    answers[PRM] = undefined;
    answers[METADATA] = undefined;
    answers['/mcp'] = {};
    await expect(begin()).rejects.toThrow('names no authorization server');
  });

  it.each([
    [
      'an error that repeats what it was sent',
      { error: 'invalid_grant', error_description: 'a-code' },
      'refused the sign-in (invalid_grant)',
    ],
    ['an unreadable error', { error: 'a-code <b>' }, 'refused the sign-in.'],
    ['a token of another type', { access_token: 'one', token_type: 'mac' }, "can't be used"],
    [
      'a token with line breaks',
      { access_token: 'one\r\ntwo', token_type: 'bearer' },
      "can't be used",
    ],
    ['no token', {}, "can't be read"],
  ])('that answers the code with %s is named, without the code', async (_, answer, sentence) => {
    const { pending } = await begin();
    answers['/token'] = answer;
    const failure = await complete(pending).catch((error: Error) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining(sentence) });
    expect(String(failure)).not.toContain('a-code');
  });

  it('can redirect no code and no refresh token', async () => {
    const { pending } = await begin();
    answers['/token'] = redirect;
    await expect(complete(pending)).rejects.toThrow('redirects');
    const grant = { ...pending, accessToken: 'one', refreshToken: 'two' };
    await expect(renewGrant(grant, 0, outbound())).rejects.toThrow('redirects');
  });
});
