import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import type { TaskRunner } from './run-task.ts';
import { TASK_QUEUE, type TaskJob } from './task-queue.ts';

const TASKS_AT_ONCE = 16;
/** A notification starts a job at once; polling finds what none told of, as retries. */
const POLLING_SECONDS = 2;

/** Takes tasks from the queue until the queue is stopped. */
export async function workOnTasks(boss: PgBoss, runner: TaskRunner, log: Log): Promise<void> {
  const options = { notifyPollingIntervalSeconds: POLLING_SECONDS, includeMetadata: true } as const;
  for (let i = 0; i < TASKS_AT_ONCE; i += 1) {
    const workerId: string = await boss.work(
      TASK_QUEUE.name,
      options,
      async ([job]: JobWithMetadata<TaskJob>[]) => {
        if (job) await runJob(job, runner, log);
        // Whoever has just finished looks for the next job, instead of waiting for the next poll.
        boss.notifyWorker(workerId);
      },
    );
  }
}

async function runJob(job: JobWithMetadata<TaskJob>, runner: TaskRunner, log: Log) {
  try {
    await runner.run(job.data, job.signal);
  } catch (error) {
    log.warn('a task did not run', { taskId: job.id, ...errorFields(error) });
    if (job.retryCount < job.retryLimit) throw error;
    const sentence = 'The task could not be run because of a fault on our side.';
    await runner.giveUp(job.data.taskId, job.data, 'internal-fault', sentence);
  }
}
