import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { API_POLICY, securityHeaders } from './security-headers.ts';

/** Slow senders are cut off. */
const SERVER_LIMITS = {
  headersTimeout: 20_000,
  requestTimeout: 30_000,
  // Longer than callers keep idle connections: a caller that sends a command on a closing
  // connection cannot know whether it was accepted.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  // Other protocols that a caller offers, such as h2c, are ignored: the call is answered without
  // them.
  shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
    headers.upgrade?.toLowerCase() === 'websocket',
};
const IDLE_LOOK_MS = 50;

export type HttpServer = AsyncDisposable & {
  readonly server: Server;
  readonly port: number;
};

/** The request handler; `handle` is Fastify's `routing`. */
export type Handler = { handle(request: IncomingMessage, response: ServerResponse): void };

export type ListenOptions = {
  /** 0 uses a free port. */
  readonly port: number;
  readonly host: string;
  /** How long running calls may take when the server closes; then they are cut off. */
  readonly graceMs?: number;
  /** Aborted: they are cut at once, when the server closes or while it does. */
  readonly hurry?: AbortSignal;
};

/** Listens until disposed of. Streams of changes end then at once; their readers come back. */
export async function listen(
  handle: RequestListener,
  { port, host, graceMs = 0, hurry }: ListenOptions,
): Promise<HttpServer> {
  const streams = new Set<ServerResponse>();
  let isClosing = false;
  const server = createServer(SERVER_LIMITS, (request, response) => {
    if (isClosing) response.setHeader('connection', 'close');
    if (request.method === 'GET' && request.headers.accept === 'text/event-stream') {
      streams.add(response);
      response.once('close', () => streams.delete(response));
    }
    handle(request, response);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    server,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      isClosing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const stream of streams) stream.destroy();
      const looking = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
      const cut = () => server.closeAllConnections();
      const cutting = setTimeout(cut, hurry?.aborted ? 0 : graceMs);
      hurry?.addEventListener('abort', cut, { once: true });
      await closed;
      hurry?.removeEventListener('abort', cut);
      clearInterval(looking);
      clearTimeout(cutting);
    },
  };
}

const HOST = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d+)?$/i;
/** A name without a dot, as `localhost` or a container's: no public DNS answers for it. */
const ONE_WORD = /^[\da-z_-]+$/i;

/**
 * Whether the Host of a call is an address or a one-word name. A web page whose own name resolves
 * to this machine (DNS rebinding) sends that name, which has a dot.
 */
export function hasDirectHost({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const [, bracketed, plain = ''] = HOST.exec(headers.host ?? '') ?? [];
  const name = bracketed ?? plain;
  return isIP(name) !== 0 || ONE_WORD.test(name);
}

/** Ends a connection that requested a WebSocket upgrade, with the headers of every other answer. */
export function refuseUpgrade(socket: Duplex, status: string, publicUrl: string): void {
  const headers = {
    connection: 'close',
    'content-length': '0',
    'cache-control': 'no-store',
    ...securityHeaders(publicUrl, API_POLICY),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // The refused caller may have left already.
  socket.on('error', () => socket.destroy());
  socket.end([`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n'));
}
