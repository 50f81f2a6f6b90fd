import type { PgBoss } from 'pg-boss';
import type { JobQueue } from '../../kit/jobs.ts';

/** Longer than any deadline of a task. */
export const TASK_QUEUE: JobQueue = { name: 'run-task', secondsMax: 600 };

export type TaskJob = {
  readonly taskId: string;
  readonly organizationId: string;
  /** The call that asked for the task: its worker's events belong to it. */
  readonly correlationId: string;
  /** The command that requested it. */
  readonly causationId: string;
  /** What the read models must have passed, so that the task sees what was assigned just before. */
  readonly position: string;
};

const ENQUEUED_KEPT_MAX = 10_000;
const enqueued = new Set<string>();

/** At most one job for a task: a second one with its id is passed over. */
export async function enqueueTask(boss: PgBoss, job: TaskJob): Promise<void> {
  await boss.send(TASK_QUEUE.name, job, { id: job.taskId });
  enqueued.add(job.taskId);
  if (enqueued.size > ENQUEUED_KEPT_MAX) enqueued.delete(enqueued.values().next().value ?? '');
}

/** Whether this process has just made the task's job: then there is no need to ask. */
export const isEnqueuedHere = (taskId: string) => enqueued.delete(taskId);
