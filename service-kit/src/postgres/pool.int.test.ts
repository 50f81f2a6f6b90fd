import { testDatabase } from '@tallyhand/stack/testing/backends';
import { expect, it } from 'vitest';
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
