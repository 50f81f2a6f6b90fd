import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Duplex, pipeline, Transform } from 'node:stream';
import {
  addressesOf,
  type OutboundPolicy,
  readUrl,
} from '@tallyhand/agent-runtime/guard/destination';
import { pinnedTo } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import {
  failureOf,
  OutboundFailed,
  OutboundRefused,
  outboundFailure,
  reportFailure,
} from '@tallyhand/agent-runtime/guard/outbound-errors';
import { hostOf, portOf } from '@tallyhand/agent-runtime/guard/own-origins';
import { refuse } from '../simple-page.ts';
import { ProxyClient, type ProxyLimits, tooLarge } from './proxy-client.ts';

const defaultLimits: ProxyLimits = {
  clientBytes: 200_000_000,
  answerBytes: 20_000_000,
  connections: 64,
  connectMs: 10_000,
  idleMs: 60_000,
};

export type FilteringProxy = AsyncDisposable & {
  /** Its address, in the form for a browser. */
  server: string;
  /** Lets one more in, until it is disposed of. */
  admit(): ProxyClient;
};

/**
 * An HTTP proxy on a loopback address for all traffic of the browsers, and no other: each
 * connection is made to an address that the guard has checked.
 */
export async function filteringProxy(
  outbound: OutboundPolicy,
  given: Partial<ProxyLimits> = {},
): Promise<FilteringProxy> {
  const limits = { ...defaultLimits, ...given };
  const clients = new Map<string, ProxyClient>();
  const sockets = new Set<Socket>();
  const server = createServer({ maxHeaderSize: 65_536, requestTimeout: 120_000 });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const policy = {
    ...outbound,
    /** Read each time: further own addresses may become known later. */
    get ownOrigins() {
      return [...outbound.ownOrigins, address];
    },
  };

  server.on('request', (request, response) => {
    const client = clientOf(request, clients);
    response.on('error', () => undefined);
    if (client === undefined) {
      response.writeHead(407, { 'proxy-authenticate': CHALLENGE }).end();
      return;
    }
    const exhausted = client.exhausted();
    if (exhausted !== undefined) refuse(response, 503, exhausted);
    else void forward(request, response, client, policy, limits);
  });
  server.on('connect', (request, socket, head) => {
    socket.on('error', () => undefined);
    const client = clientOf(request, clients);
    const authority = request.url ?? '';
    if (client === undefined) {
      const challenge = `Proxy-Authenticate: ${CHALLENGE}\r\nContent-Length: 0\r\n`;
      socket.end(`HTTP/1.1 407 Proxy Authentication Required\r\n${challenge}\r\n`);
      return;
    }
    const exhausted = client.exhausted();
    if (exhausted === undefined) {
      void tunnel(authority, socket, head, client, policy, limits);
      return;
    }
    client.refused(authority, exhausted);
    socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n');
  });

  return {
    server: address,
    admit() {
      const client = new ProxyClient(limits, ({ username }) => clients.delete(username));
      clients.set(client.username, client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of [...clients.values()]) client[Symbol.dispose]();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const CHALLENGE = 'Basic realm="browser"';

function clientOf(request: IncomingMessage, clients: Map<string, ProxyClient>) {
  const [scheme, encoded = ''] = (request.headers['proxy-authorization'] ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'basic') return undefined;
  const [username = '', password = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  const client = clients.get(username);
  return client?.isPassword(password) ? client : undefined;
}

/** Hop-by-hop headers, and those between the browser and the proxy. */
const HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A plain request: sent again, to a checked address. */
async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  client: ProxyClient,
  policy: OutboundPolicy,
  limits: ProxyLimits,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let authority = '';
  try {
    const url = readUrl(request.url ?? '');
    authority = `${hostOf(url)}:${portOf(url)}`;
    if (url.protocol !== 'http:') throw new OutboundRefused('scheme', 'Only http is forwarded.');
    const addresses = await addressesOf(url, policy, gone.signal);
    const outgoing = send({
      agent: false,
      host: hostOf(url),
      port: portOf(url),
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...withoutHop(request.headers), host: url.host },
      setHost: false,
      lookup: pinnedTo(addresses),
      signal: gone.signal,
    });
    const connecting = setTimeout(() => outgoing.destroy(timedOut()), limits.connectMs);
    outgoing.once('socket', (socket) => {
      client.holds(socket);
      socket.once('connect', () => clearTimeout(connecting));
      socket.setTimeout(limits.idleMs, () => outgoing.destroy(timedOut()));
    });
    outgoing.once('close', () => clearTimeout(connecting));
    const meter = client.meter(hostOf(url), false);
    pipeline(request, counted(meter, false), outgoing, () => undefined);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.on('error', reject);
    });
    policy.onOutbound?.('answered', 'none');
    pass(answer, response, client, meter, { host: hostOf(url), authority, limits });
  } catch (error) {
    if (gone.signal.aborted) return;
    const failure = failureOf(error, authority);
    reportFailure(failure, policy.onOutbound);
    client.refused(authority, failure.message);
    refuse(response, failure instanceof OutboundRefused ? 403 : 502, failure.message);
  }
}

function pass(
  answer: IncomingMessage,
  response: ServerResponse,
  client: ProxyClient,
  meter: ReturnType<ProxyClient['meter']>,
  { host, authority, limits }: { host: string; authority: string; limits: ProxyLimits },
) {
  const isTooLarge = Number(answer.headers['content-length'] ?? 0) > limits.answerBytes;
  // Only this proxy may request its credentials.
  if (answer.statusCode === 407 || isTooLarge) {
    const sentence = isTooLarge ? tooLarge(host, limits) : `${host} sent an unusable answer.`;
    client.refused(authority, sentence);
    answer.destroy();
    refuse(response, 502, sentence);
    return;
  }
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
  pipeline(answer, counted(meter, true), response, (error) => {
    if (error instanceof OutboundFailed) client.refused(authority, error.message);
  });
}

function counted(meter: ReturnType<ProxyClient['meter']>, isAnswer: boolean): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const sentence = meter(chunk.byteLength, isAnswer);
      if (sentence === undefined) done(null, chunk);
      else done(new OutboundFailed('too-large', sentence));
    },
  });
}

function withoutHop(headers: IncomingMessage['headers']) {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name) && !named.includes(name)),
  );
}

/** Names and values by turns, as they came: cookies must not be joined. */
function endToEnd(raw: string[]): string[] {
  return raw.filter((_, at) => !HOP_HEADERS.has((raw[at - (at % 2)] ?? '').toLowerCase()));
}

const timedOut = () => Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' });

/**
 * CONNECT: https and WebSockets. The browser cannot be shown an error page here, but `takeRefusal`
 * returns the reason.
 */
async function tunnel(
  authority: string,
  browser: Duplex,
  head: Buffer,
  client: ProxyClient,
  policy: OutboundPolicy,
  limits: ProxyLimits,
): Promise<void> {
  const gone = new AbortController();
  browser.once('close', () => gone.abort());
  try {
    const url = readUrl(`https://${authority}`);
    const addresses = await addressesOf(url, policy, gone.signal);
    const peer = connect({
      host: hostOf(url),
      port: portOf(url),
      lookup: pinnedTo(addresses),
    });
    client.holds(peer);
    gone.signal.addEventListener('abort', () => peer.destroy());
    await connected(peer, hostOf(url), limits.connectMs);
    policy.onOutbound?.('answered', 'none');
    browser.write('HTTP/1.1 200 Connection established\r\n\r\n');
    const meter = client.meter(hostOf(url), true);
    const isCutOff = (count: number, isAnswer: boolean) => {
      const sentence = meter(count, isAnswer);
      if (sentence !== undefined) client.refused(authority, sentence);
      return sentence !== undefined;
    };
    join(browser, peer, head, isCutOff, limits);
  } catch (error) {
    if (gone.signal.aborted) return;
    const failure = failureOf(error, authority);
    reportFailure(failure, policy.onOutbound);
    client.refused(authority, failure.message);
    const status = failure instanceof OutboundRefused ? '403 Forbidden' : '502 Bad Gateway';
    browser.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  }
}

async function connected(peer: Socket, host: string, timeoutMs: number): Promise<void> {
  const done = Promise.withResolvers<void>();
  const timer = setTimeout(() => peer.destroy(outboundFailure('timeout', host)), timeoutMs);
  peer.once('connect', () => done.resolve());
  peer.on('error', done.reject);
  peer.once('close', () => done.reject(outboundFailure('closed', host)));
  try {
    await done.promise;
  } finally {
    clearTimeout(timer);
  }
}

function join(
  browser: Duplex,
  peer: Socket,
  head: Buffer,
  isCutOff: (count: number, isAnswer: boolean) => boolean,
  { idleMs }: ProxyLimits,
) {
  const end = () => {
    browser.destroy();
    peer.destroy();
  };
  browser.on('data', ({ length }: Buffer) => isCutOff(length, false) && end());
  peer.on('data', ({ length }: Buffer) => isCutOff(length, true) && end());
  for (const one of [browser, peer]) one.once('close', end);
  peer.setTimeout(idleMs, end);
  if (head.length > 0) peer.write(head);
  browser.pipe(peer);
  peer.pipe(browser);
}
