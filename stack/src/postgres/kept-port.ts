import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

/**
 * Returns the port stored in `file` if it is still free, otherwise another free one, which is
 * stored from then on: addresses survive restarts, and never block one. `taken`: ports that are
 * about to be used.
 */
export async function keptPort(file: string, taken: readonly number[] = []): Promise<number> {
  const kept = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  const isUsable = kept > 0 && kept < 65_536 && !taken.includes(kept);
  if (isUsable && (await isPortFree(kept))) return kept;
  const port = await freePort(taken);
  if (!port) throw new Error('No free port is left on 127.0.0.1.');
  writeFileSync(`${file}.new`, String(port));
  renameSync(`${file}.new`, file);
  return port;
}

async function freePort(taken: readonly number[]): Promise<number | undefined> {
  // The system hands out its ports in turn: a second attempt is rare.
  for (let tries = 0; tries <= taken.length; tries += 1) {
    const port = await tryListening(0, '127.0.0.1');
    if (port && !taken.includes(port)) return port;
  }
  return undefined;
}

export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await tryListening(port, host)) !== undefined;
}

/** Returns the port, or undefined if another program has it. Other faults are thrown. */
function tryListening(port: number, host: string): Promise<number | undefined> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') done(undefined);
      else fail(error);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const found = typeof address === 'object' && address ? address.port : port;
      server.close(() => done(found));
    });
  });
}
