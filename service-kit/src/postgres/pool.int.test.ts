import { testDatabase } from '@tallyhand/test-kit/backends';
import { expect, it } from 'vitest';
import { instrumentMetrics } from '../metrics/instruments.ts';
import { inTransaction, openPool } from './pool.ts';

it('a transaction whose connection ends fails, and the process and the pool go on', async () => {
  await using database = await testDatabase();
  const pool = openPool(database.url, 2);
  const cut = inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await client.query('select pg_sleep(5)');
  });
  await expect(cut).rejects.toThrow();
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

const told = () =>
  instrumentMetrics()
    .find(({ name }) => name === 'tallyhand_postgres_pool')
    ?.samples.map(({ labels, value }) => [labels?.role, labels?.state, value]);

it('pools tell how busy they are, by role, until they have ended', async () => {
  await using database = await testDatabase();
  const [first, second] = [openPool(database.url, 1), openPool(database.url, 1)];
  const held = await first.connect();
  const waiting = first.query('select 1');
  await second.query('select 1');
  const other = (state: string, value: number) => ['other', state, value];
  expect(told()).toEqual([other('busy', 1), other('free', 1), other('waiting', 1)]);
  held.release();
  await waiting;
  await first.end();
  expect(told()).toEqual([other('busy', 0), other('free', 1), other('waiting', 0)]);
  await second.end();
  expect(told()).toEqual([]);
});
