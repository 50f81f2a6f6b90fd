import { isDeepStrictEqual } from 'node:util';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import { listen } from '@tallyhand/service-kit/postgres/listener';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { PreparedClient } from '@tallyhand/service-kit/postgres/prepared-client';
import { type TracedJob, tracedJob } from '@tallyhand/service-kit/tracing/tracing';
import type pg from 'pg';
import { type Job, PgBoss } from 'pg-boss';

export const JOBS_SCHEMA = 'jobs';

/** A job whose worker died is detected within this time and given to another. */
export const HEARTBEAT_SECONDS = 10;
const MONITOR_SECONDS = 10;
/** How often a job that fails is repeated. */
const RETRIES = {
  'for-seconds': { retryLimit: 5, retryDelay: 1 },
  /** As long as a store may need to come back. */
  'for-a-minute': { retryLimit: 6, retryDelay: 1, retryBackoff: true, retryDelayMax: 30 },
  'until-it-passes': {
    retryLimit: 1_000_000,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 60,
  },
} as const;
/** Notifications announce new jobs, but not retries after a longer pause or of a process that died. */
export const LOOK_SECONDS = 5;
/** After this time the first retry of a job that failed in this process is due: it comes within 2 s. */
export const RETRY_LOOK_MS = 2_100;
const CONNECTIONS_MAX = 4;
const STOP_MS = 1_000;
/** Finished jobs are useless: the events record what happened. */
const KEPT_SECONDS = 3_600;

export type JobQueue = {
  readonly name: string;
  readonly secondsMax: number;
  /** By default for seconds. */
  readonly repeated?: keyof typeof RETRIES;
  /** Receives a job whose last attempt failed, also by the death of its worker. */
  readonly failures?: JobQueue;
};

const ended = counter({
  name: 'tallyhand_jobs_total',
  help: 'Attempts of jobs by queue and outcome; failed ones are retried, up to a limit.',
});

/** Counts the outcome of an attempt, and passes it on. */
export async function countedJob<T>(queue: string, work: Promise<T>): Promise<T> {
  try {
    const result = await work;
    ended.add({ queue, outcome: 'completed' });
    return result;
  } catch (error) {
    ended.add({ queue, outcome: 'failed' });
    throw error;
  }
}

/** Runs the jobs of a queue one at a time, until the queue is stopped. */
export async function workOn<T extends TracedJob>(
  boss: PgBoss,
  { name }: JobQueue,
  run: (job: Job<T>) => Promise<void>,
): Promise<void> {
  const options = { notifyPollingIntervalSeconds: LOOK_SECONDS };
  const worker = await boss.work(name, options, async ([job]: Job<T>[]) => {
    if (!job) return;
    try {
      const done = tracedJob(name, job.data, () => run(job));
      await countedJob(name, done);
    } catch (error) {
      setTimeout(() => boss.notifyWorker(worker), RETRY_LOOK_MS).unref();
      throw error;
    }
  });
}

/** Claims jobs until it is disposed of; `announce` reports that there may be more. */
export type QueueWorker = AsyncDisposable & { announce(organizationId?: string): void };

/** Announces, by queue, jobs that the inserting process does not run at once. */
export const JOBS_CHANNEL = 'job_enqueued';

/** Announces a job when the client's transaction is committed. */
export async function announceJob(client: pg.ClientBase, { name }: JobQueue): Promise<void> {
  await client.query('select pg_notify($1, $2)', [JOBS_CHANNEL, name]);
}

/** Wakes the workers, by queue, when a job was announced, and after each connection. */
export function listenForJobs(
  url: string,
  log: Log,
  workers: Readonly<Record<string, QueueWorker>>,
): Promise<AsyncDisposable> {
  return listen({
    url,
    log,
    channels: [JOBS_CHANNEL],
    onNotification: (_, queue) => workers[queue]?.announce(),
    async onConnect() {
      for (const worker of Object.values(workers)) worker.announce();
    },
  });
}

/** Inserts jobs within the client's transaction. */
export const within = (client: pg.ClientBase) => ({
  db: { executeSql: (text: string, values?: unknown[]) => client.query(text, values) },
});

/** Creates tables and queues, and changes those that are declared otherwise. Needs administrator rights. */
export async function makeJobs(admin: pg.Client, queues: readonly JobQueue[]): Promise<void> {
  // A queue must exist before queues whose failures go to it.
  const all = [...queues.flatMap(({ failures }) => failures ?? []), ...queues];
  const boss = new PgBoss({
    db: oneAtATime(admin),
    schema: JOBS_SCHEMA,
    supervise: false,
    registerInstance: false,
  });
  boss.on('error', () => {});
  try {
    await boss.start();
    const existing = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
    for (const queue of all) {
      const options = queueOptions(queue);
      const old = existing.get(queue.name);
      if (!old) await boss.createQueue(queue.name, options);
      else if (!isDeepStrictEqual({ ...old, ...options }, old)) {
        await boss.updateQueue(queue.name, options);
      }
    }
  } finally {
    await boss.stop({ graceful: false });
  }
}

/** The job queue sends some statements at once, which one connection does not allow. */
function oneAtATime(client: pg.Client) {
  let last: Promise<unknown> = Promise.resolve();
  return {
    executeSql(text: string, values?: unknown[]) {
      const result = last.catch(() => {}).then(() => client.query(text, values));
      last = result;
      return result;
    },
  };
}

const queueOptions = ({ secondsMax, repeated = 'for-seconds', failures }: JobQueue) => ({
  ...RETRIES[repeated],
  expireInSeconds: secondsMax,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  deleteAfterSeconds: KEPT_SECONDS,
  notify: true,
  ...(failures ? { deadLetter: failures.name } : {}),
});

type OpenedJobs = { readonly boss: PgBoss } & AsyncDisposable;

/** Opens the job queue of a service, until it is disposed of. The tables must exist. */
export async function openJobs(url: string, log: Log): Promise<OpenedJobs> {
  await using opening = new AsyncDisposableStack();
  // To plan its statements takes longer than to run them.
  const pool = opening.adopt(
    openPool(url, CONNECTIONS_MAX, PreparedClient, (client) =>
      // A plan that was made while the table was empty must not read all of it later.
      client.query('set enable_seqscan = off; set jit = off'),
    ),
    (p) => p.end(),
  );
  const boss = new PgBoss({
    db: {
      executeSql: (text, values) => pool.query(text, values),
      async listen(channel, onNotification, onReconnect) {
        const listener = await listen({
          url,
          log,
          channels: [channel],
          onNotification: (_, payload) => onNotification(payload),
          onConnect: async () => onReconnect(),
        });
        return { close: async () => await listener[Symbol.asyncDispose]() };
      },
    },
    schema: JOBS_SCHEMA,
    migrate: false,
    createSchema: false,
    schedule: false,
    // Metrics and the status page show this process; a row of vitals every few seconds adds nothing.
    registerInstance: false,
    useListenNotify: true,
    monitorIntervalSeconds: MONITOR_SECONDS,
    superviseIntervalSeconds: MONITOR_SECONDS,
    // No job waits for another one.
    flowIntervalSeconds: 3_600,
  });
  boss.on('error', (error) => log.warn('job queue', errorFields(error)));
  opening.defer(() => boss.stop({ graceful: true, timeout: STOP_MS }));
  await boss.start();
  const opened = opening.move();
  return { boss, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
