import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../../stack/src/postgres/start-postgres.ts';
import { type Load, load } from './load.ts';

const CALLS = 5_000;
const START_MS_MAX = 20_000;
const server = fileURLToPath(new URL('./bare-server.main.ts', import.meta.url));

/** The other side: a bare Fastify route that inserts one row into the same kind of PostgreSQL. */
export async function bareInsertLoad(clients: number): Promise<Load> {
  const folder = await mkdtemp(join(tmpdir(), 'tallyhand-bench-bare-'));
  const postgres = await startPostgres({ dataDir: folder, password: 'for the bench on loopback' });
  const child = fork(server, [postgres.url], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    const signal = AbortSignal.timeout(START_MS_MAX);
    const [url] = await once(child, 'message', { signal });
    return await measure(`${url}/tasks`, clients);
  } finally {
    if (child.connected) child.disconnect();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(url: string, clients: number): Promise<Load> {
  const body = JSON.stringify({ input: 'Within how many days can items be returned?' });
  const headers = { 'content-type': 'application/json' };
  const result = await load(clients, CALLS, async () => {
    const response = await fetch(url, { method: 'POST', headers, body });
    await response.json();
  });
  const { count } = (await (await fetch(`${url}/count`)).json()) as { count: number };
  if (count !== CALLS) throw new Error(`${CALLS} calls of the bare route left ${count} rows`);
  return result;
}
