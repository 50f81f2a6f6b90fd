import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export type HttpServer = AsyncDisposable & {
  readonly server: Server;
  readonly port: number;
  /** With the port. */
  readonly host: string;
  readonly origin: string;
};

/** A server on a loopback address, by default on a free port. Disposing it closes connections. */
export async function httpServer(
  answer: RequestListener,
  address = '127.0.0.1',
  fixedPort = 0,
): Promise<HttpServer> {
  const server = createServer(answer);
  await once(server.listen(fixedPort, address), 'listening');
  const { port } = server.address() as AddressInfo;
  const host = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  return {
    server,
    port,
    host,
    origin: `http://${host}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type Seen = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

export type LocalServer = HttpServer & {
  /** Every accepted connection, with or without a request. */
  readonly connections: number;
  readonly requests: Seen[];
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
};

/** A server that reads and records each request before it answers. */
export async function localServer(
  answer: (request: IncomingMessage, response: ServerResponse, seen: Seen) => unknown,
  ...place: [address?: string, port?: number]
): Promise<LocalServer> {
  const open = new Set<Socket>();
  const requests: Seen[] = [];
  let connections = 0;
  const running = await httpServer(
    async (request, response) => {
      const body = await text(request);
      const { method = '', url = '', headers } = request;
      const seen = { method, url, headers, body };
      requests.push(seen);
      await answer(request, response, seen);
    },
    ...place,
  );
  running.server.on('connection', (socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
  });
  return {
    ...running,
    requests,
    get connections() {
      return connections;
    },
    async idle() {
      // Not `once` of node:events: it rejects when the peer resets the connection.
      await Promise.all(
        [...open].map((socket) => new Promise((closed) => socket.once('close', closed))),
      );
    },
  };
}
