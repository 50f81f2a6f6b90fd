import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux (32768), macOS and Windows (49152) give to outgoing connections: a
 * program that restarts on its port does not find a connection there.
 */
const FIRST = 15_000;
const LAST = 32_000;
const TRIES_MAX = 1000;

const given = new Set<number>();

/**
 * Returns a port on 127.0.0.1 that no program listens on, and that this process has not been given
 * before. `taken`: ports that are about to be used.
 */
export async function freePort(taken: readonly number[] = []): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = randomInt(FIRST, LAST);
    if (given.has(port) || taken.includes(port) || !(await isPortFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`No free port from ${FIRST} to ${LAST} is left on 127.0.0.1.`);
}

/** Returns whether this process could listen there. Throws faults other than a port in use. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') done(false);
      else fail(error);
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => done(true)));
  });
}
