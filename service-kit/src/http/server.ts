import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

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
