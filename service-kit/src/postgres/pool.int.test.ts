import { testDatabase } from '@tallyhand/test-kit/backends';
import { expect, it } from 'vitest';
import { instrumentMetrics } from '../metrics/instruments.ts';
import { inTransaction, openPool } from './pool.ts';

it('a transaction whose connection ends fails, and the process and the pool continue', async () => {
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

/** Figures of all pools in this process that belong to no service, also those of other tests. */
function figures() {
  const metric = instrumentMetrics().find(({ name }) => name === 'tallyhand_postgres_pool');
  const own = metric?.samples.filter(({ labels }) => labels?.role === 'other') ?? [];
  const of = (state: string) => own.find(({ labels }) => labels?.state === state)?.value ?? 0;
  return { busy: of('busy'), free: of('free'), waiting: of('waiting') };
}

it('pools report how busy they are, by role, until they have ended', async () => {
  await using database = await testDatabase();
  const before = figures();
  const plus = (busy: number, free: number, waiting: number) => ({
    busy: before.busy + busy,
    free: before.free + free,
    waiting: before.waiting + waiting,
  });
  const [first, second] = [openPool(database.url, 1), openPool(database.url, 1)];
  const held = await first.connect();
  const waiting = first.query('select 1');
  await second.query('select 1');
  expect(figures()).toEqual(plus(1, 1, 1));
  held.release();
  await waiting;
  await first.end();
  expect(figures()).toEqual(plus(0, 1, 0));
  await second.end();
  expect(figures()).toEqual(before);
});
