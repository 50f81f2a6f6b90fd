import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { listen } from '@tallyhand/service-kit/postgres/listener';
import { type TracedJob, tracedJob, withTrace } from '@tallyhand/service-kit/tracing/tracing';
import type pg from 'pg';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import type { JobQueue } from '../../kit/jobs.ts';
import { together } from '../../kit/together.ts';
import { takeJobs } from './take-jobs.ts';

/** Longer than any deadline of a task. */
export const TASK_QUEUE: JobQueue = { name: 'run-task', secondsMax: 600 };

const CHANNEL = 'task_enqueued';
const ENQUEUED_KEPT_MAX = 10_000;
/** Jobs that come so soon after another go into the queue together. */
const REST_MS = 10;

export type TaskJob = TracedJob & {
  readonly taskId: string;
  readonly organizationId: string;
  /** The call that asked for the task: its worker's events belong to it. */
  readonly correlationId: string;
  /** The command that requested it. */
  readonly causationId: string;
  /** What the read models must have passed, so that the task sees what was assigned just before. */
  readonly position: string;
};

export type TaskQueue = {
  /** At most one job for a task: a second one with its id is passed over. */
  enqueue(job: TaskJob): Promise<void>;
  /** Whether this process has just made the task's job: then there is no need to ask. */
  isEnqueuedHere(taskId: string): boolean;
  /** The task needs no worker any more. */
  cancel(taskId: string): Promise<void>;
  /** Runs the jobs of all processes until it is disposed of; `run` that throws is tried again. */
  work(run: (job: JobWithMetadata<TaskJob>) => Promise<void>): Promise<AsyncDisposable>;
};

/** The queue of tasks as one process uses it. */
export function taskQueue(options: {
  readonly boss: PgBoss;
  readonly pool: pg.Pool;
  readonly url: string;
  readonly log: Log;
}): TaskQueue {
  const { boss, pool, url, log } = options;
  const { name } = TASK_QUEUE;
  const enqueued = new Set<string>();
  /** Those who work on the queue in this process. */
  const takers = new Set<ReturnType<typeof takeJobs<TaskJob>>>();

  const insert = together(async (jobs: readonly TaskJob[]) => {
    // Whoever asked for a task and the reaction to it may be here at the same time.
    const byId = new Map(jobs.map((data) => [data.taskId, { id: data.taskId, data }]));
    await boss.insert(name, [...byId.values()]);
    for (const taker of takers) taker.look();
    // Whoever has a free hand here takes them at once; others are only told when nobody has.
    const isTakenHere = [...takers].some((taker) => taker.freeHands() > 0);
    if (!isTakenHere) await pool.query('select pg_notify($1, $2)', [CHANNEL, '']);
  }, REST_MS);

  return {
    async enqueue(job) {
      await insert(withTrace(job));
      enqueued.add(job.taskId);
      if (enqueued.size > ENQUEUED_KEPT_MAX) enqueued.delete(enqueued.values().next().value ?? '');
    },
    isEnqueuedHere: (taskId) => enqueued.delete(taskId),
    async cancel(taskId) {
      await boss
        .cancel(name, taskId)
        .catch((error) => log.warn('a job was not cancelled', errorFields(error)));
    },
    async work(run) {
      await using opening = new AsyncDisposableStack();
      const traced = (job: JobWithMetadata<TaskJob>) => tracedJob(name, job.data, () => run(job));
      const taker = opening.use(takeJobs({ boss, queue: name, log, run: traced }));
      opening.use(
        await listen({
          ...{ url, log, channels: [CHANNEL], onNotification: taker.look },
          onConnect: async () => taker.look(),
        }),
      );
      takers.add(taker);
      opening.defer(() => void takers.delete(taker));
      return opening.move();
    },
  };
}
