import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import type { TaskRunner } from './run-task.ts';
import { TASK_QUEUE, type TaskJob } from './task-queue.ts';

const TASKS_AT_ONCE = 16;

/** Takes tasks from the queue until the queue is stopped. */
export async function workOnTasks(boss: PgBoss, runner: TaskRunner, log: Log): Promise<void> {
  await boss.work(
    TASK_QUEUE.name,
    { localConcurrency: TASKS_AT_ONCE, pollingIntervalSeconds: 1, includeMetadata: true },
    async ([job]: JobWithMetadata<TaskJob>[]) => {
      if (!job) return;
      try {
        await runner.run(job.data, job.signal);
      } catch (error) {
        log.warn('a task did not run', { taskId: job.id, ...errorFields(error) });
        if (job.retryCount < job.retryLimit) throw error;
        await runner.giveUp(
          job.data.taskId,
          'internal-fault',
          'The task could not be run because of a fault on our side.',
        );
      }
    },
  );
}
