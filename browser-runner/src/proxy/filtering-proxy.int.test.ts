import { once } from 'node:events';
import { type IncomingMessage, type RequestListener, request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { parseAllowedHosts } from '@tallyhand/agent-runtime/guard/allowed-hosts';
import { localServer } from '@tallyhand/test-kit/http-server';
import { describe, expect, it } from 'vitest';
import { filteringProxy } from './filtering-proxy.ts';
import type { ProxyClient, ProxyLimits } from './proxy-client.ts';

const policy = { ownOrigins: [], allowedHosts: parseAllowedHosts('127.0.0.1') };

const credentials = ({ username, password }: Pick<ProxyClient, 'username' | 'password'>) => ({
  'proxy-authorization': `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

/** A plain request through the proxy; the body ends where the connection does. */
async function get(proxy: { server: string }, url: string, headers: Record<string, string> = {}) {
  const outgoing = request(proxy.server, { path: url, headers, agent: false }).end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  let body = '';
  answer.setEncoding('latin1').on('data', (chunk) => (body += chunk));
  const end = Promise.withResolvers<void>();
  answer.once('error', () => end.resolve()).once('close', () => end.resolve());
  await end.promise;
  return { status: answer.statusCode, headers: answer.headers, body };
}

/** A tunnel through the proxy: the proxy's answer, and the connection. */
async function open(proxy: { server: string }, authority: string, headers = {}) {
  const outgoing = request(proxy.server, { method: 'CONNECT', path: authority, headers }).end();
  const [answer, socket] = await once(outgoing, 'connect');
  socket.on('error', () => undefined);
  return { status: answer.statusCode as number, socket };
}

async function setUp(answer: RequestListener, limits: Partial<ProxyLimits> = {}) {
  const server = await localServer(answer);
  const proxy = await filteringProxy(policy, limits);
  const client = proxy.admit();
  return {
    server,
    proxy,
    client,
    auth: credentials(client),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('the proxy of the browsers', () => {
  it('forwards requests without the headers meant for the proxy', async () => {
    await using at = await setUp((_, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']).end('fine');
    });
    const headers = { ...at.auth, 'x-own': 'kept', connection: 'x-hop', 'x-hop': 'left out' };
    const answer = await get(at.proxy, `${at.server.origin}/path?q=1`, headers);
    expect(answer).toMatchObject({ status: 200, body: 'fine' });
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(at.server.requests).toMatchObject([
      { url: '/path?q=1', headers: { host: `127.0.0.1:${at.server.port}`, 'x-own': 'kept' } },
    ]);
    const names = Object.keys(at.server.requests[0]?.headers ?? {});
    expect(names).not.toContain('proxy-authorization');
    expect(names).not.toContain('x-hop');
  });

  it('serves only clients with valid credentials', async () => {
    await using at = await setUp((_, response) => void response.end('fine'));
    const wrong = credentials({ username: at.client.username, password: 'guessed' });
    const gone = at.proxy.admit();
    gone[Symbol.dispose]();
    for (const headers of [{}, wrong, credentials(gone), { 'proxy-authorization': 'Bearer x' }]) {
      expect((await get(at.proxy, at.server.origin, headers)).status).toBe(407);
      const { status } = await open(at.proxy, `127.0.0.1:${at.server.port}`, headers);
      expect(status).toBe(407);
    }
    expect(at.server.connections).toBe(0);
  });

  it('gives a reason for refusals, and does not connect', async () => {
    await using at = await setUp((_, response) => void response.end('fine'));
    const page = await get(at.proxy, 'http://10.0.0.1/<b>', at.auth);
    expect(page.status).toBe(403);
    expect(page.body).toContain('10.0.0.1 leads to a private address.');
    expect((await open(at.proxy, '169.254.169.254:443', at.auth)).status).toBe(403);
    expect(at.client.takeRefusal('169.254.169.254:443')).toMatch(/leads to a private address/);
    expect(at.client.takeRefusal('169.254.169.254:443')).toBeUndefined();
    // The proxy is no way to itself, whatever the operator lets through.
    expect((await get(at.proxy, at.proxy.server, at.auth)).body).toContain('this service itself');
    for (const odd of ['/path', 'ftp://127.0.0.1/', 'http://a:b@127.0.0.1/']) {
      expect((await get(at.proxy, odd, at.auth)).status).toBe(403);
    }
    expect(at.server.connections).toBe(0);
  });

  it('refuses an own origin that became known later', async () => {
    await using server = await localServer((_, response) => void response.end('ours'));
    const ownOrigins: string[] = [];
    await using proxy = await filteringProxy({ ...policy, ownOrigins });
    const auth = credentials(proxy.admit());
    expect((await get(proxy, server.origin, auth)).body).toBe('ours');
    ownOrigins.push(server.origin);
    expect((await get(proxy, server.origin, auth)).status).toBe(403);
  });

  it('reports that the connection was refused', async () => {
    await using at = await setUp((request) => request.socket.destroy());
    const page = await get(at.proxy, at.server.origin, at.auth);
    expect(page).toMatchObject({ status: 502, body: expect.stringContaining('closed') });
  });

  it("never answers a server's request for its credentials", async () => {
    await using at = await setUp((_, response) => {
      response.writeHead(407, { 'proxy-authenticate': 'Basic realm="x"' }).end();
    });
    const answer = await get(at.proxy, at.server.origin, at.auth);
    expect(answer.status).toBe(502);
    expect(answer.headers).not.toHaveProperty('proxy-authenticate');
  });

  it('cuts off an answer that is too long, declared or not', async () => {
    const long = Buffer.alloc(300_000, 'x');
    await using at = await setUp(
      ({ url }, response) => {
        if (url === '/declared') response.end(long);
        else for (const _ of [1, 2, 3, 4]) response.write(long.subarray(0, 60_000));
      },
      { answerBytes: 100_000 },
    );
    const notices: string[] = [];
    at.client.onLimit((sentence) => notices.push(sentence));
    const declared = await get(at.proxy, `${at.server.origin}/declared`, at.auth);
    expect(declared).toMatchObject({ status: 502, body: expect.stringContaining('more than') });
    const untold = await get(at.proxy, `${at.server.origin}/untold`, at.auth);
    expect(untold.status).toBe(200);
    expect(untold.body.length).toBeLessThanOrEqual(100_000);
    expect(at.client.takeRefusal(`127.0.0.1:${at.server.port}`)).toMatch(/more than 0 MB at once/);
    expect(notices).toHaveLength(1);
    expect((await get(at.proxy, 'http://10.0.0.1/', at.auth)).status).toBe(403);
  });

  it('limits the traffic of each client, independently of others', async () => {
    await using at = await setUp((_, response) => void response.end(Buffer.alloc(60_000)), {
      clientBytes: 100_000,
    });
    expect((await get(at.proxy, at.server.origin, at.auth)).body).toHaveLength(60_000);
    await get(at.proxy, at.server.origin, at.auth).catch(() => undefined);
    const spent = await get(at.proxy, at.server.origin, at.auth);
    expect(spent).toMatchObject({ status: 503, body: expect.stringContaining('used up') });
    const other = credentials(at.proxy.admit());
    expect((await get(at.proxy, at.server.origin, other)).body).toHaveLength(60_000);
  });

  it('limits the connections of each client', async () => {
    await using at = await setUp(() => undefined, { connections: 3 });
    const authority = `127.0.0.1:${at.server.port}`;
    for (let count = 0; count < 3; count += 1) {
      expect((await open(at.proxy, authority, at.auth)).status).toBe(200);
    }
    expect((await open(at.proxy, authority, at.auth)).status).toBe(503);
    expect((await get(at.proxy, at.server.origin, at.auth)).body).toContain('Too many connections');
    const other = credentials(at.proxy.admit());
    expect((await open(at.proxy, authority, other)).status).toBe(200);
  });

  it('ends the connections of a client that leaves, and silent ones', async () => {
    await using at = await setUp(() => undefined, { idleMs: 200 });
    const authority = `127.0.0.1:${at.server.port}`;
    const silent = await open(at.proxy, authority, at.auth);
    await once(silent.socket, 'close');
    const tunnel = await open(at.proxy, authority, at.auth);
    at.client[Symbol.dispose]();
    await once(tunnel.socket, 'close');
    await at.server.idle();
  });

  it('carries a tunnel both ways, and cuts it off when it never pauses', async () => {
    let sent = 0;
    const peer = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (hello) => {
        socket.write(hello);
        const more = () => {
          while (!socket.destroyed && socket.write(Buffer.alloc(50_000))) sent += 50_000;
          sent += 50_000;
        };
        socket.on('drain', more);
        socket.once('data', more);
      });
    }).listen(0, '127.0.0.1');
    await once(peer, 'listening');
    await using at = await setUp(() => undefined, { answerBytes: 1_000_000 });
    const { port } = peer.address() as AddressInfo;
    const { socket, status } = await open(at.proxy, `127.0.0.1:${port}`, at.auth);
    expect(status).toBe(200);
    socket.write('hello');
    expect(String((await once(socket, 'data'))[0])).toBe('hello');
    let received = 0;
    socket.on('data', ({ length }: Buffer) => (received += length));
    socket.write('more');
    await once(socket, 'close');
    expect(received).toBeLessThan(1_100_000);
    expect(sent).toBeLessThan(50_000_000);
    peer.close();
  });

  it('survives broken and endless requests', async () => {
    await using at = await setUp((_, response) => void response.end('fine'));
    const { port } = new URL(at.proxy.server);
    for (const text of [
      'GARBAGE\r\n\r\n',
      'CONNECT  HTTP/1.1\r\n\r\n',
      `GET ${'x'.repeat(99_999)}`,
    ]) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      socket.write(text);
      socket.resume();
      await new Promise((closed) => socket.once('close', closed));
    }
    const fine = async () => (await get(at.proxy, at.server.origin, at.auth)).status;
    await expect.poll(fine).toBe(200);
  });
});
