import { TaskNotRun } from '@tallyhand/contracts/features/tasks/work-failures';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type { JobWithMetadata } from 'pg-boss';
import type { QueueWorker } from '../../kit/jobs.ts';
import type { TaskRunner } from './run-task.ts';
import type { TaskJob, TaskQueue } from './task-queue.ts';

/** Takes tasks from the queue until it is disposed of. */
export const workOnTasks = (queue: TaskQueue, runner: TaskRunner, log: Log): QueueWorker =>
  queue.work((job) => runJob(job, runner, log));

async function runJob(job: JobWithMetadata<TaskJob>, runner: TaskRunner, log: Log) {
  try {
    await runner.run(job.data, job.signal);
  } catch (error) {
    const { correlationId } = job.data;
    log.warn('a task did not run', { taskId: job.id, correlationId, ...errorFields(error) });
    if (job.retryCount < job.retryLimit) throw error;
    await runner.giveUp(job.data.taskId, job.data, TaskNotRun({}));
  }
}
