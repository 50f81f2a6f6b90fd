import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import Fastify from 'fastify';
import { startPostgres } from '../../stack/src/postgres/start-postgres.ts';
import { type Load, load } from './load.ts';

const CLIENTS = 16;
const CALLS = 3_000;
const CONNECTIONS = 10;

/** The other side: a bare Fastify route that inserts one row into the same kind of PostgreSQL. */
export async function bareInsertLoad(): Promise<Load> {
  const folder = await mkdtemp(join(tmpdir(), 'tallyhand-bench-bare-'));
  const postgres = await startPostgres({ dataDir: folder, password: 'for the bench on loopback' });
  const pool = openPool(postgres.url, CONNECTIONS);
  await pool.query('create table tasks (id bigserial primary key, input text not null)');
  const app = Fastify();
  app.post('/tasks', async (request) => {
    const { input } = request.body as { input: string };
    const { rows } = await pool.query('insert into tasks (input) values ($1) returning id', [
      input,
    ]);
    return rows[0];
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/tasks`;
  const body = JSON.stringify({ input: 'Within how many days can items be returned?' });
  const headers = { 'content-type': 'application/json' };
  try {
    return await load(CLIENTS, CALLS, async () => {
      const response = await fetch(url, { method: 'POST', headers, body });
      await response.json();
    });
  } finally {
    await app.close();
    await pool.end();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
