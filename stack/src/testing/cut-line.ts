import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy before the product, whose open connections can be cut. */
export type CutLine = AsyncDisposable & {
  readonly url: string;
  /** How many connections are open. */
  readonly open: number;
  /** Ends the open connections without a farewell. */
  cut(): void;
};

export async function cutLine(target: string): Promise<CutLine> {
  const { hostname: host, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const product = connect({ host, port: Number(port) });
    sockets.add(client);
    client
      .on('error', () => {})
      .once('close', () => {
        sockets.delete(client);
        product.destroy();
      });
    product.on('error', () => {}).once('close', () => client.destroy());
    client.pipe(product).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get open() {
      return sockets.size;
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
