import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../stack/src/postgres/start-postgres.ts';
import { startChild } from './child.ts';
import { type Load, load } from './load.ts';

const WARM_UP_CALLS = 1_000;
const CALLS = 5_000;

/** The other side: a bare Fastify route that asks the same model and inserts one row. */
export async function bareInsertLoad(modelUrl: string, clients: number): Promise<Load> {
  const folder = await mkdtemp(join(tmpdir(), 'tallyhand-bench-bare-'));
  const postgres = await startPostgres({ dataDir: folder, password: 'for the bench on loopback' });
  try {
    const settings = { databaseUrl: postgres.url, modelUrl };
    using child = startChild(new URL('./bare-server.main.ts', import.meta.url), settings);
    return await measure(`${await child.told<string>()}/tasks`, clients);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(url: string, clients: number): Promise<Load> {
  const body = JSON.stringify({ input: 'Within how many days can items be returned?' });
  const headers = { 'content-type': 'application/json' };
  const call = async () => {
    const response = await fetch(url, { method: 'POST', headers, body });
    await response.json();
  };
  await load(clients, WARM_UP_CALLS, call);
  const result = await load(clients, CALLS, call);
  const { count } = (await (await fetch(`${url}/count`)).json()) as { count: number };
  const made = WARM_UP_CALLS + CALLS;
  if (count !== made) throw new Error(`${made} calls of the bare route left ${count} rows`);
  return result;
}
