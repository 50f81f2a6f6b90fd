import { testDatabase } from '@tallyhand/test-kit/backends';
import { expect, it } from 'vitest';
import { openPool } from './pool.ts';
import { PreparedClient } from './prepared-client.ts';

it('prepares each statement once, except those of queues', async () => {
  await using database = await testDatabase();
  const pool = openPool(database.url, 1, PreparedClient);
  for (const value of [1, 2]) {
    await pool.query('select $1::int as prepared', [value]);
    await pool.query('select from pg_class where oid = $1 for update skip locked', [value]);
  }
  await pool.query('begin', []);
  await pool.query('commit');
  const { rows } = await pool.query('select statement from pg_prepared_statements');
  expect(rows).toEqual([{ statement: 'select $1::int as prepared' }]);
  await pool.end();
});
