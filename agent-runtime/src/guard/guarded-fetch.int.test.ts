import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import {
  brotliCompressSync,
  createBrotliCompress,
  createGzip,
  deflateSync,
  gzipSync,
} from 'node:zlib';
import { localServer } from '@tallyhand/test-kit/http-server';
import { describe, expect, it } from 'vitest';
import { parseAllowedHosts } from './allowed-hosts.ts';
import { guardedFetch, type OutboundInit } from './guarded-fetch.ts';

/** Serves one answer and requests it through a policy that lets this server through. */
async function fetched(answer: RequestListener, init: OutboundInit = {}, path = '/') {
  await using server = await localServer(answer);
  const policy = { ownOrigins: [], allowedHosts: parseAllowedHosts(`127.0.0.1:${server.port}`) };
  const [outcome] = await Promise.allSettled([
    guardedFetch(`${server.origin}${path}`, init, policy).then(async (response) => ({
      response,
      text: await response.text(),
    })),
  ]);
  // Whatever happened, no connection stays behind.
  await server.idle();
  return { outcome, server };
}

const failing = (kind: string) => ({
  status: 'rejected',
  reason: { name: 'OutboundFailed', kind },
});
const text =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

/** Writes until the reader leaves. */
const endless: RequestListener = (_request, response) => {
  const chunk = Buffer.alloc(65_536, 'x');
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more).writeHead(200, { 'content-type': 'text/plain' });
  more();
};

const zeros = (bytes: number) =>
  Readable.from(
    (function* () {
      for (let sent = 0; sent < bytes; sent += 65_536) yield Buffer.alloc(65_536);
    })(),
  );

describe('guardedFetch', () => {
  it('returns status, headers and body', async () => {
    const { outcome, server } = await fetched(
      text('héllo', { 'content-type': 'text/plain', 'X-One': '1' }, 418),
      { method: 'post', headers: { 'X-Mine': 'yes' }, body: 'sent' },
      '/a/b?c=d#hidden',
    );
    expect(outcome).toMatchObject({
      status: 'fulfilled',
      value: {
        text: 'héllo',
        response: {
          status: 418,
          url: `${server.origin}/a/b?c=d`,
          headers: { 'content-type': 'text/plain', 'x-one': '1' },
        },
      },
    });
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        url: '/a/b?c=d',
        body: 'sent',
        headers: { 'x-mine': 'yes', host: `127.0.0.1:${server.port}` },
      },
    ]);
  });

  it('uses no proxy of the environment', async () => {
    await using proxy = await localServer(text('from the proxy'));
    process.env.HTTP_PROXY = proxy.origin;
    process.env.http_proxy = proxy.origin;
    try {
      const { outcome } = await fetched(text('direct'));
      expect(outcome).toMatchObject({ value: { text: 'direct' } });
      expect(proxy.connections).toBe(0);
    } finally {
      delete process.env.HTTP_PROXY;
      delete process.env.http_proxy;
    }
  });

  it('leaves the headers of the connection to the connection', async () => {
    const headers = {
      Host: 'other',
      'Content-Length': '9',
      'transfer-encoding': 'chunked',
      A: 'b',
    };
    const { outcome, server } = await fetched(text(''), { headers });
    expect(outcome.status).toBe('fulfilled');
    expect(server.requests[0]?.headers).toMatchObject({ host: `127.0.0.1:${server.port}`, a: 'b' });
    expect(server.requests[0]?.headers).not.toHaveProperty('content-length');
    expect(server.requests[0]?.headers).not.toHaveProperty('transfer-encoding');
  });

  it.each([
    [{ 'x-a': 'b\r\nx-evil: 1' }],
    [{ 'x-a\r\nx-evil': '1' }],
    [{ 'x-a': 'b\0' }],
    [{ 'x a': 'b' }],
    [{ 'x-a': 'π' }],
  ])('refuses headers that break out of their line: %j', async (headers) => {
    const { outcome, server } = await fetched(text(''), { headers: { ...headers } });
    expect(outcome).toMatchObject({ reason: { name: 'OutboundRefused', reason: 'header' } });
    expect(server.connections).toBe(0);
  });

  it('refuses methods that open tunnels', async () => {
    const { outcome, server } = await fetched(text(''), { method: 'CONNECT' });
    expect(outcome).toMatchObject({ reason: { name: 'OutboundRefused', reason: 'method' } });
    expect(server.connections).toBe(0);
  });
});

describe('unpacking', () => {
  it.each([
    ['gzip', gzipSync('packed')],
    ['deflate', deflateSync('packed')],
    ['br', brotliCompressSync('packed')],
    ['deflate, gzip', gzipSync(deflateSync('packed'))],
    ['identity', Buffer.from('packed')],
  ])('reads %s', async (encoding, body) => {
    const { outcome } = await fetched(text(body, { 'content-encoding': encoding }));
    expect(outcome).toMatchObject({ value: { text: 'packed' } });
  });

  it('reads answers without a body', async () => {
    const packed = { 'content-encoding': 'gzip' };
    for (const [init, status] of [
      [{ method: 'HEAD' }, 200],
      [{}, 204],
      [{}, 304],
    ] as const) {
      const { outcome } = await fetched(text('', packed, status), init);
      expect(outcome).toMatchObject({ value: { text: '', response: { status } } });
    }
  });

  it.each([
    ['gzip', 'not packed at all'],
    ['gzip', gzipSync('cut in the middle').subarray(0, 20)],
    ['compress', 'unknown'],
    ['gzip, gzip, gzip', 'too deep'],
  ])('fails on a body that does not match its encoding: %s', async (encoding, body) => {
    const { outcome } = await fetched(text(body, { 'content-encoding': encoding }));
    expect(outcome).toMatchObject(failing('protocol'));
  });

  it.each([
    ['gzip', () => createGzip()],
    ['br', () => createBrotliCompress({ params: {} })],
  ])('cuts a decompression bomb: %s', async (encoding, pack) => {
    const { outcome } = await fetched(
      (_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding });
        zeros(20_000_000).pipe(pack()).pipe(response);
      },
      { limits: { bodyBytes: 100_000 } },
    );
    expect(outcome).toMatchObject(failing('too-large'));
  });
});

describe('limits', () => {
  it('cut an endless body', async () => {
    const { outcome } = await fetched(endless, { limits: { bodyBytes: 1_000_000 } });
    expect(outcome).toMatchObject(failing('too-large'));
  });

  it('cut a body of 100 MB without holding it', async () => {
    const { outcome } = await fetched(
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100000000' });
        zeros(100_000_000).pipe(response);
      },
      { limits: { bodyBytes: 1_000_000 } },
    );
    expect(outcome).toMatchObject(failing('too-large'));
  });

  it('let a body of exactly the limit through', async () => {
    const limits = { bodyBytes: 1_000 };
    expect(await fetched(text('x'.repeat(1_000)), { limits })).toMatchObject({
      outcome: { status: 'fulfilled' },
    });
    expect(await fetched(text('x'.repeat(1_001)), { limits })).toMatchObject({
      outcome: failing('too-large'),
    });
  });

  it('cut large headers', async () => {
    const { outcome } = await fetched(text('', { 'x-large': 'x'.repeat(40_000) }));
    expect(outcome).toMatchObject(failing('too-large'));
  });

  it('end the wait for headers', async () => {
    const { outcome } = await fetched(() => undefined, { limits: { headersMs: 50 } });
    expect(outcome).toMatchObject(failing('timeout'));
  });

  it('end a body that stalls', async () => {
    const { outcome } = await fetched(
      (_request, response) => void response.writeHead(200).write('first'),
      { limits: { totalMs: 200 } },
    );
    expect(outcome).toMatchObject(failing('timeout'));
  });

  it('close the connection of an abandoned answer', async () => {
    await using server = await localServer(endless);
    const allowedHosts = parseAllowedHosts('127.0.0.1');
    const init = { limits: { totalMs: 1_000 } };
    await guardedFetch(server.origin, init, { ownOrigins: [], allowedHosts });
    await server.idle();
    expect(server.connections).toBe(1);
  });

  it('end the wait for a name', async () => {
    const policy = {
      ownOrigins: [],
      allowedHosts: [],
      resolve: () => Promise.withResolvers<string[]>().promise,
    };
    const init = { limits: { headersMs: 50 } };
    await expect(guardedFetch('http://slow.test', init, policy)).rejects.toMatchObject({
      kind: 'timeout',
      message: 'slow.test did not answer in time.',
    });
  });
});

describe('a signal', () => {
  it('ends a request before it starts', async () => {
    const { outcome, server } = await fetched(text(''), { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject(failing('aborted'));
    expect(server.connections).toBe(0);
  });

  it('ends the wait for headers', async () => {
    const controller = new AbortController();
    const { outcome } = await fetched(() => controller.abort(), { signal: controller.signal });
    expect(outcome).toMatchObject(failing('aborted'));
  });

  it('ends the reading of a body', async () => {
    const controller = new AbortController();
    await using server = await localServer(endless);
    const response = await guardedFetch(
      server.origin,
      { signal: controller.signal },
      { ownOrigins: [], allowedHosts: parseAllowedHosts('127.0.0.1') },
    );
    const reading = async () => {
      for await (const _chunk of response.body) controller.abort();
    };
    await expect(reading()).rejects.toMatchObject({ kind: 'aborted' });
    await server.idle();
  });
});

describe('failures', () => {
  const policy = { ownOrigins: [], allowedHosts: parseAllowedHosts('127.0.0.1') };

  it('report that the connection was refused', async () => {
    const { port } = await (async () => {
      await using server = await localServer(text(''));
      return server;
    })();
    await expect(
      guardedFetch(`http://127.0.0.1:${port}/secret?key=secret`, {}, policy),
    ).rejects.toMatchObject({
      kind: 'connect',
      message: 'No connection to 127.0.0.1 could be made.',
    });
  });

  it('report that a name is unknown', async () => {
    const resolve = () =>
      Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));
    await expect(
      guardedFetch('http://gone.test/', {}, { ...policy, resolve }),
    ).rejects.toMatchObject({ kind: 'dns', message: 'The name gone.test could not be resolved.' });
  });

  it('report that there is no secure connection', async () => {
    await using server = await localServer(text(''));
    await expect(
      guardedFetch(`https://127.0.0.1:${server.port}`, {}, policy),
    ).rejects.toMatchObject({ kind: 'tls' });
  });

  it('report that the connection was closed', async () => {
    const early = await fetched((request) => void request.socket.destroy());
    expect(early.outcome).toMatchObject(failing('closed'));
    const late = await fetched((request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => request.socket.destroy());
    });
    expect(late.outcome).toMatchObject(failing('closed'));
  });

  it('report that the answer is not HTTP', async () => {
    const { outcome } = await fetched((request) => void request.socket.end('SSH-2.0-nope\r\n'));
    expect(outcome).toMatchObject(failing('protocol'));
  });

  it('carry no cause', async () => {
    const { outcome } = await fetched((request) => void request.socket.destroy());
    expect(outcome.status === 'rejected' && outcome.reason.cause).toBeUndefined();
  });
});
