import { testDatabase } from '@tallyhand/test-kit/backends';
import { testLog } from '@tallyhand/test-kit/cases';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { whileActive } from './active-lock.ts';

const LOCK = 42;

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

/** Contends for the lock under its own name, and notes when its job starts and stops. */
function contender(name: string, happened: string[]) {
  const url = new URL(database.url);
  url.searchParams.set('application_name', name);
  return whileActive({
    url: url.href,
    lock: LOCK,
    name,
    log: testLog,
    async run() {
      happened.push(`${name} starts`);
      return {
        async [Symbol.asyncDispose]() {
          happened.push(`${name} stops`);
        },
      };
    },
  });
}

async function query(sql: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return await client.query(sql, values);
  } finally {
    await client.end();
  }
}

describe('two processes that could do a job', () => {
  it('the second takes over when the first leaves, and not before', async () => {
    const happened: string[] = [];
    const first = contender('first', happened);
    await first.active;
    await using second = contender('second', happened);
    await first[Symbol.asyncDispose]();
    await second.active;
    expect(happened).toEqual(['first starts', 'first stops', 'second starts']);
  });

  it('the first stops its job when its connection is lost, and one of them resumes it', async () => {
    const happened: string[] = [];
    await using first = contender('loser', happened);
    await first.active;
    await query(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'loser' and datname = current_database()`);
    await vi.waitFor(() =>
      expect(happened).toEqual(['loser starts', 'loser stops', 'loser starts']),
    );
  });

  it('one that is stopped before it has the lock stops', async () => {
    const happened: string[] = [];
    await contender('only', happened)[Symbol.asyncDispose]();
    expect(happened).toEqual([]);
  });

  it('one that never became active leaves immediately', async () => {
    const happened: string[] = [];
    await using first = contender('first', happened);
    await first.active;
    const second = contender('second', happened);
    await second[Symbol.asyncDispose]();
    expect(happened).toEqual(['first starts']);
  });
});
