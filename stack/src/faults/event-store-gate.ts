import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { authorityFile, serverCertificate } from '@tallyhand/event-store/access/tls-files';
import type { TestEventStore } from '@tallyhand/test-kit/backends';

/** The longest name of an event, which may be cut in two between reads of a socket. */
const NAME_LENGTH_MAX = 64;

const HTTP2 = { ALPNProtocols: ['h2'] };

/**
 * `before`: the append with the event never reaches the event store. `after`: it does, and no
 * answer of the event store comes back any more.
 */
export type Boundary = { readonly side: 'before' | 'after'; readonly type: string };

export type Gate = AsyncDisposable & {
  readonly url: string;
  /** Resolves when the client is held at the boundary. */
  closeAt(boundary: Boundary): Promise<void>;
  /** Stops holding new connections. */
  open(): void;
};

/**
 * A proxy between a process and its event store that can hold the process at a chosen event. It
 * presents the store's own certificate, and so sees the traffic.
 */
export async function startGate({ url, dataDir }: TestEventStore): Promise<Gate> {
  const port = Number(new URL(url).port);
  const ca = readFileSync(authorityFile(dataDir));
  const sockets = new Set<TLSSocket>();
  let boundary: Boundary | null = null;
  let reached = Promise.withResolvers<void>();
  let isReached = false;

  function keep(socket: TLSSocket) {
    sockets.add(socket);
    // Either end may be gone; the other one notices.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  }

  /** Whether these bytes, with the previous ones, contain the name of the event. */
  function names(text: string): boolean {
    if (!boundary || !text.includes(boundary.type)) return false;
    isReached = true;
    reached.resolve();
    return true;
  }

  const server = createServer({ ...serverCertificate(dataDir), ...HTTP2 }, (client) => {
    const store = connect({ port, host: '127.0.0.1', servername: 'localhost', ca, ...HTTP2 });
    for (const socket of [client, store]) keep(socket);
    let earlier = '';
    client.on('data', (bytes: Buffer) => {
      const text = earlier + bytes.toString('latin1');
      earlier = text.slice(-NAME_LENGTH_MAX);
      if (!isReached) names(text);
      if (!isReached || boundary?.side === 'after') store.write(bytes);
    });
    store.on('data', (bytes: Buffer) => {
      if (!isReached) client.write(bytes);
    });
    client.once('close', () => store.destroy());
    store.once('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: url.replace(`:${port}?`, `:${(server.address() as AddressInfo).port}?`),
    closeAt(at) {
      boundary = at;
      isReached = false;
      reached = Promise.withResolvers();
      return reached.promise;
    },
    open() {
      boundary = null;
      isReached = false;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
