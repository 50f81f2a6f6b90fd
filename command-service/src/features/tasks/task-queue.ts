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

/** At most one job for a task: a second one with its id is passed over. */
export async function enqueueTask(boss: PgBoss, job: TaskJob): Promise<void> {
  await boss.send(TASK_QUEUE.name, job, { id: job.taskId });
}
