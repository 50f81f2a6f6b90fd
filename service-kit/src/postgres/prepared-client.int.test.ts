import { testDatabase } from '@tallyhand/test-kit/backends';
import { expect, it } from 'vitest';
import { inTransaction, openPool } from './pool.ts';
import { PreparedClient } from './prepared-client.ts';

it('prepares each statement with parameters once, except those of queues', async () => {
  await using database = await testDatabase();
  const pool = openPool(database.url, 1, PreparedClient);
  for (const value of [1, 2]) {
    await pool.query('select $1::int as prepared', [value]);
    await pool.query('select from pg_class where oid = $1 for update skip locked', [value]);
  }
  await pool.query('begin; commit', []);
  const { rows } = await pool.query('select statement from pg_prepared_statements');
  expect(rows).toEqual([{ statement: 'select $1::int as prepared' }]);
  await pool.end();
});

it('a connection whose prepared statement returns other columns now is replaced', async () => {
  await using database = await testDatabase();
  const pool = openPool(database.url, 1, PreparedClient);
  const read = () =>
    inTransaction(pool, async (client) => {
      const { rows } = await client.query('select * from replaced where a = $1', [1]);
      return rows;
    });
  await pool.query('create table replaced as select 1 as a');
  expect(await read()).toEqual([{ a: 1 }]);
  await pool.query('alter table replaced add column b int');
  await expect(read()).rejects.toThrow('cached plan');
  expect(await read()).toEqual([{ a: 1, b: null }]);
  await pool.end();
});
