import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { forward } from './forward.ts';
import { type ProxyClient, type ProxyLimits, proxyClient } from './proxy-client.ts';
import { refuse } from './refusal-page.ts';
import { tunnel } from './tunnel.ts';

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
      const client = proxyClient(limits, () => clients.delete(client.username));
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
