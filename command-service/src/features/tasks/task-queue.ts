import { TaskRequested } from '@tallyhand/contracts/features/tasks/tasks.events';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import { FairQueue, type FairQueueLimits } from '@tallyhand/service-kit/fair-queue';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { type TracedJob, tracedJob, withTrace } from '@tallyhand/service-kit/tracing/tracing';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { Batcher } from '../../kit/batcher.ts';
import { startJobWorker } from '../../kit/job-worker.ts';
import { JOBS_CHANNEL, type JobQueue, type QueueWorker } from '../../kit/jobs.ts';
import { type Reaction, reaction } from '../../kit/reactions.ts';

/** Longer than any deadline of a task. */
export const TASK_QUEUE: JobQueue = { name: 'run-task', secondsMax: 600 };

const ENQUEUED_KEPT_MAX = 10_000;
/** Jobs that come so soon after another go into the queue together. */
const REST_MS = 10;
/** One organization may have all that its tasks keep busy; as much is left to the others. */
export const TASK_LIMITS: FairQueueLimits = {
  concurrency: 32,
  concurrencyPerOrganization: 16,
  waitingMax: 0,
  waitingPerOrganizationMax: 0,
};

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
  work(run: (job: JobWithMetadata<TaskJob>) => Promise<void>): QueueWorker;
};

/** The queue of tasks as one process uses it. */
export function taskQueue(options: {
  readonly boss: PgBoss;
  readonly pool: pg.Pool;
  readonly log: Log;
}): TaskQueue {
  const { boss, pool, log } = options;
  const { name } = TASK_QUEUE;
  const enqueued = new LRUCache<string, true>({ max: ENQUEUED_KEPT_MAX });
  /** The workers of this process. */
  const takers = new Set<ReturnType<typeof startJobWorker<TaskJob>>>();

  const inserts = new Batcher(async (jobs: readonly TaskJob[]) => {
    // The call that asked for a task and the reaction to it may be here at the same time.
    const byId = new Map(
      jobs.map((data) => [
        data.taskId,
        { id: data.taskId, data, group: { id: data.organizationId } },
      ]),
    );
    await boss.insert(name, [...byId.values()]);
    const organizations = new Set(jobs.map(({ organizationId }) => organizationId));
    // A worker here that has a free place takes them at once; others are only told when none has.
    const isTakenHere = [...organizations].every((id) =>
      [...takers].some((taker) => taker.hasPlaceFor(id)),
    );
    for (const taker of takers) for (const id of organizations) taker.look(id);
    if (!isTakenHere) await pool.query('select pg_notify($1, $2)', [JOBS_CHANNEL, name]);
  }, REST_MS);

  return {
    async enqueue(job) {
      await inserts.add(withTrace(job));
      enqueued.set(job.taskId, true);
    },
    isEnqueuedHere: (taskId) => enqueued.delete(taskId),
    async cancel(taskId) {
      await boss
        .cancel(name, taskId)
        .catch((error) => log.warn('a job was not cancelled', errorFields(error)));
    },
    work(run) {
      const traced = (job: JobWithMetadata<TaskJob>) => tracedJob(name, job.data, () => run(job));
      const turns = new FairQueue('tasks', TASK_LIMITS);
      const taker = startJobWorker({ boss, queue: name, turns, log, run: traced });
      takers.add(taker);
      return {
        look: taker.look,
        async [Symbol.asyncDispose]() {
          takers.delete(taker);
          await taker[Symbol.asyncDispose]();
        },
      };
    },
  };
}

/** Every requested task has its job, also when the process died between the two. */
export const runRequestedTasks = (queue: TaskQueue): Reaction =>
  reaction('run-requested-tasks', {
    TaskRequested: async (event) => {
      const { data, envelope } = event;
      const { taskId, organizationId } = TaskRequested.read(data, envelope.schemaVersion);
      if (queue.isEnqueuedHere(taskId)) return;
      await queue.enqueue({
        taskId,
        organizationId,
        correlationId: event.envelope.correlationId,
        causationId: event.envelope.commandId,
        position: formatPosition(event.position),
      });
    },
  });
