import { withMigrationLock } from '@tallyhand/service-kit/postgres/migrations';
import { testDatabase } from '@tallyhand/test-kit/backends';
import pg from 'pg';
import { getRollbackPlans } from 'pg-boss';
import { expect, it, vi } from 'vitest';
import { JOBS_SCHEMA, type JobQueue, makeJobs, openJobs, workOn } from './jobs.ts';

/** Of the tables that release 0.1.0 made. */
const RELEASED_VERSION = 43;

const silent = { info() {}, warn() {}, error() {} };

const makeQueue = (url: string, queue: JobQueue) =>
  withMigrationLock(url, (admin) => makeJobs(admin, [queue]));

async function openedQueue(more: Partial<JobQueue> = {}) {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await testDatabase());
  const queue: JobQueue = { name: 'tried', secondsMax: 60, ...more };
  await makeQueue(database.url, queue);
  const { boss } = opening.use(await openJobs(database.url, silent));
  const opened = opening.move();
  return { boss, queue, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

it('retries a failed job as soon as it is due', async () => {
  await using opened = await openedQueue();
  const { boss, queue } = opened;
  const run = vi.fn(async () => {});
  run.mockRejectedValueOnce(new Error('not yet'));
  const look = vi.spyOn(boss, 'notifyWorker');
  await workOn(boss, queue, run);
  await boss.send(queue.name, {});
  // Otherwise it would wait for the next regular look for jobs of all processes.
  await expect.poll(() => look.mock.calls).toHaveLength(1);
  await expect.poll(() => run.mock.calls.length).toBe(2);
});

it('gives up a job only after a minute if it is to outlast an outage', async () => {
  await using opened = await openedQueue({ repeated: 'for-a-minute' });
  const { boss, queue } = opened;
  const id = await boss.send(queue.name, {});
  const db = boss.getDb();
  const due = `update ${JOBS_SCHEMA}.job set start_after = now() where id = $1`;
  const pause = `select extract(epoch from start_after - now()) as seconds
    from ${JOBS_SCHEMA}.job where id = $1 and state = 'retry'`;
  let seconds = 0;
  for (let attempts = 1; ; attempts += 1) {
    await db.executeSql(due, [id]);
    await expect.poll(() => boss.fetch(queue.name)).toHaveLength(1);
    await boss.fail(queue.name, String(id));
    const { rows } = await db.executeSql(pause, [id]);
    if (rows.length === 0) break;
    seconds += Number(rows[0].seconds);
    expect(attempts).toBeLessThan(100);
  }
  expect(seconds).toBeGreaterThan(58);
});

it('plans the insertion of a job once for each connection', async () => {
  await using opened = await openedQueue();
  const { boss, queue } = opened;
  await boss.insert(queue.name, [{ data: {} }]);
  const { rows } = await boss.getDb().executeSql('select statement from pg_prepared_statements');
  expect(rows.filter(({ statement }) => /insert into jobs/i.test(statement))).toHaveLength(1);
  // A plan from an almost empty table must not read all of it later.
  const settings = await boss.getDb().executeSql('show enable_seqscan');
  expect(settings.rows).toEqual([{ enable_seqscan: 'off' }]);
});

it('a job that waited in the tables of release 0.1.0 is done after the upgrade', async () => {
  await using database = await testDatabase();
  const queue: JobQueue = { name: 'from-before', secondsMax: 60 };
  await makeQueue(database.url, queue);
  {
    await using before = await openJobs(database.url, silent);
    await before.boss.send(queue.name, { kept: true });
  }

  const client = new pg.Client(database.url);
  await client.connect();
  const version = async () => {
    const { rows } = await client.query(`select version from ${JOBS_SCHEMA}.version`);
    return rows[0].version as number;
  };
  try {
    const newest = await version();
    for (let at = newest; at > RELEASED_VERSION; at -= 1) {
      await client.query(getRollbackPlans(JOBS_SCHEMA, at));
    }
    expect(await version()).toBe(RELEASED_VERSION);
    await makeQueue(database.url, queue);
    expect(await version()).toBe(newest);
  } finally {
    await client.end();
  }

  await using after = await openJobs(database.url, silent);
  const run = vi.fn(async () => {});
  await workOn(after.boss, queue, run);
  await expect.poll(() => run.mock.calls).toMatchObject([[{ data: { kept: true } }]]);
});

it('a queue that is declared otherwise is changed, and one that is not stays as it is', async () => {
  await using database = await testDatabase();
  const queue: JobQueue = { name: 'changed', secondsMax: 60 };
  const failures: JobQueue = { name: 'failures', secondsMax: 60 };
  const stored = () =>
    withMigrationLock(database.url, async (client) => {
      const { rows } = await client.query(
        `select expire_seconds as seconds, retry_limit as retries, dead_letter as failures, xmin::text
         from ${JOBS_SCHEMA}.queue where name = 'changed'`,
      );
      return rows[0];
    });
  await makeQueue(database.url, queue);
  const first = await stored();
  await makeQueue(database.url, queue);
  expect(await stored()).toEqual(first);
  await makeQueue(database.url, {
    ...queue,
    secondsMax: 90,
    repeated: 'until-it-passes',
    failures,
  });
  expect(await stored()).toMatchObject({ seconds: 90, retries: 1_000_000, failures: 'failures' });
});
