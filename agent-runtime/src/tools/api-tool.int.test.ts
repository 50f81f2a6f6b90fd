import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import { localServer } from '@tallyhand/test-kit/http-server';
import { describe, expect, it } from 'vitest';
import { parseAllowedHosts } from '../guard/allowed-hosts.ts';
import type { ApiCredentials, ApiToolConfig } from './api-headers.ts';
import { type ApiCall, type ApiToolLimits, callApi, formType } from './api-tool.ts';

type Setup = {
  config?: Partial<ApiToolConfig>;
  credentials?: ApiCredentials;
  call?: Partial<ApiCall>;
  limits?: Partial<ApiToolLimits>;
  signal?: AbortSignal;
};

/** Calls a tool whose base URL is `/v1` of a server with these answers. */
async function called(answer: RequestListener, setup: Setup = {}) {
  await using server = await localServer(answer);
  const { credentials = {}, limits, signal } = setup;
  const baseUrl = `${server.origin}/v1`;
  const config = { baseUrl, authType: 'none' as const, extras: {}, ...setup.config };
  const call = { method: 'GET', path: '/orders', query: [], body: undefined, ...setup.call };
  const policy = { ownOrigins: [], allowedHosts: parseAllowedHosts('127.0.0.0/8') };
  const [outcome] = await Promise.allSettled([
    callApi({ config, credentials }, call, policy, { limits, signal }),
  ]);
  await server.idle();
  return { outcome, server, result: outcome.status === 'fulfilled' ? outcome.value : undefined };
}

const text =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);

const redirectTo =
  (location: string): RequestListener =>
  (request, response) =>
    request.url === '/v1/orders'
      ? void response.writeHead(302, { location }).end()
      : void response.end('moved');

const endless =
  (chunk: Buffer): RequestListener =>
  (_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/plain');
    response.on('drain', more);
    more();
  };

describe('callApi', () => {
  it('sends method, path, query and JSON body, and returns the answer', async () => {
    const { result, server } = await called(
      text('{"id":7}', { 'content-type': 'application/json; charset=utf-8', etag: '"1"' }, 201),
      {
        call: {
          method: 'post',
          path: '/orders',
          query: [
            ['a', '1'],
            ['a', 'ü&'],
          ],
          body: { b: [1] },
        },
        config: { extras: { 'X-Team': 'blue' } },
      },
    );
    expect(result).toEqual({
      status: 201,
      headers: { 'content-type': 'application/json; charset=utf-8', etag: '"1"' },
      contentType: 'application/json; charset=utf-8',
      body: '{"id":7}',
      truncated: false,
      ms: expect.any(Number),
    });
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        url: '/v1/orders?a=1&a=%C3%BC%26',
        body: '{"b":[1]}',
        headers: { 'x-team': 'blue', 'content-type': 'application/json' },
      },
    ]);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('sends forms where the API wants them', async () => {
    const body = { name: 'Ann & Bob', tags: ['a', 'b'], more: { x: 1 } };
    const { server } = await called(text(''), {
      call: { method: 'POST', body, bodyType: formType },
    });
    expect(server.requests[0]).toMatchObject({
      body: 'name=Ann+%26+Bob&tags=a&tags=b&more=%7B%22x%22%3A1%7D',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  });

  it.each<[ApiToolConfig['authType'], ApiCredentials, string, string]>([
    ['apikey', { apiKey: 'key-123456' }, 'x-api-key', 'key-123456'],
    ['bearer', { token: ' token-123456\n' }, 'authorization', 'Bearer token-123456'],
    ['basic', { username: 'ann', password: 'pä:ss' }, 'authorization', 'Basic YW5uOnDDpDpzcw=='],
    ['basic', { username: 'sk_key' }, 'authorization', 'Basic c2tfa2V5Og=='],
  ])('puts the credentials in: %s %j', async (authType, credentials, name, value) => {
    const { server } = await called(text(''), { config: { authType }, credentials });
    expect(server.requests[0]?.headers[name]).toBe(value);
  });

  it("sends the key in the document's place", async () => {
    const credentials = { apiKey: 'key&123456' };
    const inQuery = { authType: 'apikey', apiKeyPlace: { in: 'query', name: 'appid' } } as const;
    const one = await called(text(''), { config: inQuery, credentials });
    expect(one.server.requests[0]?.url).toBe('/v1/orders?appid=key%26123456');
    const inHeader = { ...inQuery, apiKeyPlace: { in: 'header', name: 'X-Token' } } as const;
    const other = await called(text(''), { config: inHeader, credentials });
    expect(other.server.requests[0]?.headers['x-token']).toBe('key&123456');
  });

  it.each<[ApiToolConfig['authType'], ApiCredentials]>([
    ['apikey', {}],
    ['apikey', { apiKey: 'secret\r\nx-evil: 1' }],
    ['bearer', { token: '  ' }],
    ['bearer', { token: 'secret\0' }],
    ['basic', { password: 'secret' }],
    ['basic', { username: 'a:b', password: 'secret' }],
  ])('is refused without usable credentials: %s %j', async (authType, credentials) => {
    const { outcome, server } = await called(text(''), { config: { authType }, credentials });
    expect(outcome).toMatchObject({ reason: { name: 'ToolCallRefused' } });
    expect(`${outcome.status === 'rejected' && outcome.reason}`).not.toContain('secret');
    expect(server.connections).toBe(0);
  });

  it.each([
    [{ Host: 'evil.test' }],
    [{ 'content-LENGTH': '5' }],
    [{ Authorization: 'Bearer mine' }],
    [{ Cookie: 'a=b' }],
    [{ 'Transfer-Encoding': 'chunked' }],
    [{ 'X-A': 'b\r\nX-Evil: 1' }],
    [{ 'X-A\r\nX-Evil': '1' }],
    [{ 'X-A': 'π' }],
  ])('is refused with extras that are not headers of a tool: %j', async (extras) => {
    const config = { extras: { ...extras } as Record<string, string> };
    const { outcome, server } = await called(text(''), { config });
    expect(outcome).toMatchObject({ reason: { name: 'ToolCallRefused' } });
    expect(server.connections).toBe(0);
  });

  it('lets credentials win over extras', async () => {
    const config = { authType: 'apikey' as const, extras: { 'X-API-Key': 'from extras' } };
    const { server } = await called(text(''), { config, credentials: { apiKey: 'the real one' } });
    expect(server.requests[0]?.headers['x-api-key']).toBe('the real one');
  });

  it.each(['/../admin', 'http://127.0.0.3/', '/%2e%2e/admin'])(
    'makes no call outside of its base URL: %s',
    async (path) => {
      const { outcome, server } = await called(text(''), { call: { path } });
      expect(outcome).toMatchObject({ reason: { name: 'ToolCallRefused' } });
      expect(server.connections).toBe(0);
    },
  );

  it('makes no call to a private address', async () => {
    await using server = await localServer(text(''));
    const config = { baseUrl: server.origin, authType: 'none' as const, extras: {} };
    const call = { method: 'GET', path: '/', query: [], body: undefined };
    const policy = { ownOrigins: [], allowedHosts: [] };
    await expect(callApi({ config, credentials: {} }, call, policy)).rejects.toMatchObject({
      name: 'OutboundRefused',
    });
    expect(server.connections).toBe(0);
  });

  it('follows redirects only below its base URL', async () => {
    await using other = await localServer(text('other'), '127.0.0.2');
    const bearer = { config: { authType: 'bearer' as const }, credentials: { token: 'secret-1' } };
    const inside = await called(redirectTo('/v1/orders/7'), bearer);
    expect(inside.result?.body).toBe('moved');
    for (const place of ['/v2/orders', '/', '/v1/../x', `${other.origin}/v1/orders`]) {
      const { outcome, server } = await called(redirectTo(place), bearer);
      expect(outcome).toMatchObject({ reason: { name: 'OutboundRefused', reason: 'redirect' } });
      expect(server.requests).toHaveLength(1);
    }
    expect(other.connections).toBe(0);
  });
});

describe('the answer of an API', () => {
  it('may be an error', async () => {
    const { result } = await called(text('{"error":"boom"}', {}, 500));
    expect(result).toMatchObject({ status: 500, body: '{"error":"boom"}' });
  });

  it('may be HTML', async () => {
    const html = '<!doctype html><p>Sign in';
    const { result } = await called(text(html, { 'content-type': 'text/html' }));
    expect(result).toMatchObject({ contentType: 'text/html', body: html });
  });

  it('may be empty or no text', async () => {
    expect((await called(text('', {}, 204))).result).toMatchObject({ status: 204, body: '' });
    const image = text(Buffer.from([0, 1, 2, 255]), { 'content-type': 'image/png' });
    expect((await called(image)).result).toMatchObject({ contentType: 'image/png', body: '' });
  });

  it('is read in its own character set', async () => {
    const latin = text(Buffer.from('h\xe9', 'latin1'), {
      'content-type': 'text/plain; charset=ISO-8859-1',
    });
    expect((await called(latin)).result?.body).toBe('hé');
    const unknown = text('hé', { 'content-type': 'text/plain; charset=klingon' });
    expect((await called(unknown)).result?.body).toBe('hé');
  });

  it('keeps only the headers that help', async () => {
    const { result } = await called(
      text('', { 'retry-after': '7', 'x-ratelimit-left': '1', 'set-cookie': 'a=b', server: 'x' }),
    );
    expect(Object.keys(result?.headers ?? {}).sort()).toEqual([
      'content-type',
      'retry-after',
      'x-ratelimit-left',
    ]);
  });

  it('is cut at the limit', async () => {
    const limits = { bodyCharactersMax: 1_000 };
    const exact = await called(text('x'.repeat(1_000)), { limits });
    expect(exact.result).toMatchObject({ body: 'x'.repeat(1_000), truncated: false });
    const longer = await called(text('x'.repeat(1_001)), { limits });
    expect(longer.result).toMatchObject({ body: 'x'.repeat(1_000), truncated: true });
  });

  it('is cut when it is 100 MB, endless or a bomb', async () => {
    const large = await called(text(Buffer.alloc(100_000_000, 'x')));
    expect(large.result).toMatchObject({ status: 200, truncated: true });
    expect(large.result?.body).toHaveLength(50_000);
    const forever = await called(endless(Buffer.alloc(65_536, 'x')));
    expect(forever.result?.body).toHaveLength(50_000);
    const zeros = function* () {
      for (let at = 0; at < 500; at += 1) yield Buffer.alloc(100_000, 'x');
    };
    const bomb = await called((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
      Readable.from(zeros()).pipe(createGzip()).pipe(response);
    });
    expect(bomb.result?.body).toHaveLength(50_000);
  });

  it('fails when it does not come', async () => {
    const hanging = await called(() => undefined, { limits: { timeoutMs: 50 } });
    expect(hanging.outcome).toMatchObject({ reason: { kind: 'timeout' } });
    const controller = new AbortController();
    const stopped = await called(() => controller.abort(), { signal: controller.signal });
    expect(stopped.outcome).toMatchObject({ reason: { kind: 'aborted' } });
  });
});

describe('secrets', () => {
  const token = 'tok/en+with=all ~of&"it"';
  const bearer = { config: { authType: 'bearer' as const }, credentials: { token } };

  it('are masked in everything that echoes the request', async () => {
    const basic = { username: 'ann', password: 'pässword & more' };
    const setups: [Setup, string[]][] = [
      [bearer, [token]],
      [{ config: { authType: 'basic' }, credentials: basic }, [basic.password, 'more']],
      [
        {
          config: { authType: 'apikey', apiKeyPlace: { in: 'query', name: 'k' } },
          credentials: { apiKey: token },
        },
        [token, 'tok%2Fen', 'with'],
      ],
    ];
    for (const [setup, hidden] of setups) {
      const { result } = await called((request, response) => {
        const all = JSON.stringify({ url: request.url, headers: request.headers });
        const etag = Buffer.from(all).toString('base64');
        const location = `${request.url}#${encodeURIComponent(`${request.headers.authorization}`)}`;
        response.writeHead(200, { 'content-type': 'application/json', etag, location });
        response.end(`${all}\n${etag}\n${Buffer.from(etag).toString()}`);
      }, setup);
      expect(result?.status).toBe(200);
      const seen = JSON.stringify(result);
      expect(seen).toContain('[secret]');
      for (const one of hidden) {
        expect(seen).not.toContain(one);
        expect(seen).not.toContain(Buffer.from(one).toString('base64').replace(/=+$/, ''));
      }
    }
  });

  it('are masked across chunks, packed bodies and other character sets', async () => {
    const chunks = await called((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write(`a ${token.slice(0, 9)}`, () => response.end(`${token.slice(9)} b`));
    }, bearer);
    expect(chunks.result?.body).toBe('a [secret] b');
    const packed = await called(text(gzipSync(token), { 'content-encoding': 'gzip' }), bearer);
    expect(packed.result?.body).toBe('[secret]');
    const wide = text(Buffer.from(token, 'utf16le'), {
      'content-type': 'text/plain; charset=utf-16le',
    });
    expect((await called(wide, bearer)).result?.body).toBe('[secret]');
  });

  it('are not shown in half where the body is cut', async () => {
    for (const bodyCharactersMax of [95, 96, 100, 107, 110, 500]) {
      const { result } = await called(text(token.repeat(400)), {
        ...bearer,
        limits: { bodyCharactersMax },
      });
      expect(result?.truncated).toBe(true);
      expect(result?.body).not.toMatch(/tok|en\+|with/);
    }
  });
});
