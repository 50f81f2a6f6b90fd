import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { testDatabase } from '@tallyhand/test-kit/backends';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openReadLines, type ReadLines } from './read-lines.ts';

const NAME = 'tallyhand.organization_id';
const LINES = 2;

let opened: AsyncDisposableStack;
let admin: pg.Pool;
let url: string;
let lines: ReadLines;
beforeAll(async () => {
  opened = new AsyncDisposableStack();
  ({ url } = opened.use(await testDatabase()));
  admin = opened.adopt(openPool(url, 2), (p) => p.end());
});
beforeEach(() => {
  const made = openReadLines(url, LINES);
  opened.use(made);
  lines = made;
});
afterAll(() => opened.disposeAsync());

const run = async (text: string, ...values: unknown[]) =>
  (await lines.query<{ answer: string }>({ name: text, text, values })).rows[0]?.answer;
const echo = (value: number) => run('select $1::text as answer', value);
const backend = () => run('select pg_backend_pid()::text as answer');

/** Holds the lock that `waitForIt` waits for. */
async function held() {
  const client = await admin.connect();
  await client.query('select pg_advisory_lock(1)');
  return {
    async release() {
      await client.query('select pg_advisory_unlock(1)');
      client.release();
    },
  };
}
const waitForIt = () => run(`select 'waited' as answer from pg_advisory_xact_lock_shared(1)`);

describe('reads on shared connections', () => {
  it('each get their own answer, however many run at once', async () => {
    const values = Array.from({ length: 100 }, (_, value) => value);
    expect(await Promise.all(values.map(echo))).toEqual(values.map(String));
    const backends = new Set(await Promise.all(values.map(backend)));
    expect(backends.size).toBe(LINES);
  });

  it('leave none of their settings to reads on the same connection', async () => {
    const read = `select coalesce(current_setting('${NAME}', true), '') as answer`;
    const [whose, next, backends] = await Promise.all([
      run(`select set_config('${NAME}', $1, true) as answer`, 'mine'),
      run(read),
      Promise.all([backend(), backend()]),
    ]);
    expect([whose, next, new Set(backends).size]).toEqual(['mine', '', 1]);
  });

  it('fail for themselves alone', async () => {
    const [before, failed, after] = await Promise.allSettled([
      echo(1),
      run('select (1 / $1::int)::text as answer', 0),
      echo(2),
    ]);
    expect([before, after]).toMatchObject([{ value: '1' }, { value: '2' }]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
  });

  it('are not delayed by a slow one', async () => {
    const lock = await held();
    const slow = waitForIt();
    await expect.poll(blocked).toBe(1);
    for (let value = 0; value < 20; value += 1) expect(await echo(value)).toBe(String(value));
    await lock.release();
    expect(await slow).toBe('waited');
  });

  it('fail when their connection is cut, and the next ones find a new one', async () => {
    const lock = await held();
    const cut = Promise.allSettled([waitForIt(), echo(1)]);
    await expect.poll(blocked).toBe(1);
    await admin.query(`select pg_terminate_backend(pid) from pg_locks where ${WAITS}`);
    expect(await cut).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    await lock.release();
    expect(await Promise.all([echo(2), echo(3)])).toEqual(['2', '3']);
  });

  it('are refused beyond two thousand that wait, until there is room', async () => {
    const lock = await held();
    const waiting = Array.from({ length: 2_000 }, waitForIt);
    await expect(echo(1)).rejects.toMatchObject({ code: '53300' });
    await lock.release();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['waited']));
    expect(await echo(2)).toBe('2');
  });
});

const WAITS = `locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;
async function blocked() {
  const { rows } = await admin.query(`select from pg_locks where ${WAITS}`);
  return rows.length;
}
