import {
  TaskApprovalDecided,
  TaskApprovalRequested,
  TaskRequested,
} from '@tallyhand/contracts/features/tasks/tasks.events';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import { FairQueue, type FairQueueLimits } from '@tallyhand/service-kit/fair-queue';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { type TracedJob, tracedJob, withTrace } from '@tallyhand/service-kit/tracing/tracing';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { Batcher } from '../../kit/batcher.ts';
import { backgroundContext, type CommandContext } from '../../kit/context.ts';
import { type JobWorker, startJobWorker } from '../../kit/job-worker.ts';
import { JOBS_CHANNEL, JOBS_SCHEMA, type JobQueue, type QueueWorker } from '../../kit/jobs.ts';
import { type Reaction, reaction, reactionInAnyOrder } from '../../kit/reactions.ts';

/** Longer than any deadline of a task. */
export const TASK_QUEUE: JobQueue = {
  name: 'run-task',
  secondsMax: 600,
  repeated: 'for-a-minute',
};

const jobIdOf = ({ taskId, approvalId = taskId }: TaskJob) => approvalId;

const ENQUEUED_KEPT_MAX = 10_000;
/** Jobs within this time are inserted together. */
const REST_MS = 10;
/** One organization may use half of the slots. */
export const TASK_LIMITS: FairQueueLimits = {
  concurrency: 32,
  concurrencyPerOrganization: 16,
  waitingMax: 0,
  waitingPerOrganizationMax: 0,
};

export type TaskJob = TracedJob & {
  readonly taskId: string;
  readonly organizationId: string;
  /** The call that requested the task. */
  readonly correlationId: string;
  /** The command that requested it. */
  readonly causationId: string;
  /** The approval whose decision resumes the task. */
  readonly approvalId?: string;
  /** The read models must have reached it, so that the task sees recent assignments. */
  readonly position: string;
};

export type TaskQueue = {
  /** Inserts at most one job for a task, and one for each decision on a call of its tools. */
  enqueue(job: TaskJob): Promise<void>;
  /** Inserts a job unless it was inserted before, also by another process. */
  ensure(job: TaskJob): Promise<void>;
  /** Removes the job of a task that has ended. */
  cancel(taskId: string): Promise<void>;
  /** Runs the jobs of all processes until it is disposed of. If `run` throws, it is retried. */
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
  /** The jobs that this process has just inserted. */
  const enqueued = new LRUCache<string, true>({ max: ENQUEUED_KEPT_MAX });
  /** The workers of this process. */
  const workers = new Set<JobWorker>();

  const inserts = new Batcher(async (jobs: readonly TaskJob[]) => {
    // The call and the reaction may insert the same task at the same time.
    const byId = new Map(
      jobs.map((data) => [
        jobIdOf(data),
        { id: jobIdOf(data), data, group: { id: data.organizationId } },
      ]),
    );
    await boss.insert(name, [...byId.values()]);
    const organizations = new Set(jobs.map(({ organizationId }) => organizationId));
    // A worker here with an idle slot takes them at once. Otherwise all workers are notified.
    const isTakenHere = [...organizations].every((id) =>
      [...workers].some((worker) => worker.hasPlaceFor(id)),
    );
    for (const worker of workers) for (const id of organizations) worker.announce(id);
    if (!isTakenHere) await pool.query('select pg_notify($1, $2)', [JOBS_CHANNEL, name]);
  }, REST_MS);

  const missing = new Batcher(async (jobs: readonly TaskJob[]) => {
    const { rows } = await pool.query<{ id: string }>(
      `select id from ${JOBS_SCHEMA}.job where name = $1 and id = any($2::uuid[])`,
      [name, jobs.map(jobIdOf)],
    );
    const known = new Set(rows.map(({ id }) => id));
    await Promise.all(
      jobs.filter((job) => !known.has(jobIdOf(job))).map((job) => inserts.add(job)),
    );
  }, REST_MS);

  return {
    async enqueue(job) {
      await inserts.add(withTrace(job));
      enqueued.set(jobIdOf(job), true);
    },
    async ensure(job) {
      if (!enqueued.delete(jobIdOf(job))) await missing.add(withTrace(job));
    },
    async cancel(taskId) {
      await boss
        .cancel(name, taskId)
        .catch((error) => log.warn('a job was not cancelled', errorFields(error)));
    },
    work(run) {
      const traced = (job: JobWithMetadata<TaskJob>) => tracedJob(name, job.data, () => run(job));
      const turns = new FairQueue('tasks', TASK_LIMITS);
      const worker = startJobWorker({ boss, queue: name, turns, log, run: traced });
      workers.add(worker);
      return {
        announce: worker.announce,
        async [Symbol.asyncDispose]() {
          workers.delete(worker);
          await worker[Symbol.asyncDispose]();
        },
      };
    },
  };
}

/** Every requested task has its job, also when the process died between the two. */
export const runRequestedTasks = (queue: TaskQueue): Reaction =>
  reactionInAnyOrder('run-requested-tasks', {
    TaskRequested: ({ data, envelope, position }) => {
      const { taskId, organizationId } = TaskRequested.read(data, envelope.schemaVersion);
      return queue.ensure({ taskId, organizationId, ...causeOf({ envelope, position }) });
    },
    TaskApprovalDecided: ({ data, envelope, position }) => {
      const decided = TaskApprovalDecided.read(data, envelope.schemaVersion);
      const { taskId, organizationId, approvalId } = decided;
      return queue.ensure({
        taskId,
        organizationId,
        approvalId,
        ...causeOf({ envelope, position }),
      });
    },
  });

const causeOf = ({ envelope, position }: Pick<StoredEvent, 'envelope' | 'position'>) => ({
  correlationId: envelope.correlationId,
  causationId: envelope.commandId,
  position: formatPosition(position),
});

/** The credit of a waiting task stays set aside. */
export const keepWaitingTasks = (
  keep: (
    context: CommandContext,
    task: { readonly organizationId: string; readonly taskId: string; readonly until: Date },
  ) => Promise<unknown>,
): Reaction =>
  reaction('keep-waiting-tasks', {
    TaskApprovalRequested: async ({ data, envelope }) => {
      const { taskId, organizationId, deadline } = TaskApprovalRequested.read(
        data,
        envelope.schemaVersion,
      );
      const { correlationId } = envelope;
      const cause = { correlationId, causationId: envelope.commandId };
      const context = backgroundContext('reaction', organizationId, cause);
      await keep(context, { organizationId, taskId, until: new Date(deadline) });
    },
  });
