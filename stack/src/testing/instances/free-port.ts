import { once } from 'node:events';
import { createServer } from 'node:net';

const given = new Set<number>();

/** A port that nobody has now, and that was not given to anybody else here. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    await new Promise((resolve) => server.close(resolve));
    const port = typeof address === 'object' && address ? address.port : 0;
    if (port && !given.has(port)) {
      given.add(port);
      return port;
    }
  }
}
