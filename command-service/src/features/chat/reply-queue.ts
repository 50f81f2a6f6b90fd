import { ReplyApprovalDecided } from '@tallyhand/contracts/features/chat/chat.events';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import { FairQueue, type FairQueueLimits } from '@tallyhand/service-kit/fair-queue';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { tracedJob, withTrace } from '@tallyhand/service-kit/tracing/tracing';
import type pg from 'pg';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { startJobWorker } from '../../kit/job-worker.ts';
import { JOBS_CHANNEL, type JobQueue, type QueueWorker } from '../../kit/jobs.ts';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import type { ReplyJob } from './chat.ts';
import type { Replies } from './replies.ts';

/** Replies that are continued after a decision. */
export const REPLY_QUEUE: JobQueue = { name: 'continue-reply', secondsMax: 120 };

const LIMITS: FairQueueLimits = {
  concurrency: 8,
  concurrencyPerOrganization: 4,
  waitingMax: 0,
  waitingPerOrganizationMax: 0,
};

/** Each decision has its job, which is inserted once. */
export const continueReplies = (boss: PgBoss, pool: pg.Pool): Reaction =>
  reaction('continue-replies', {
    ReplyApprovalDecided: async ({ data, envelope, position }) => {
      const { conversationId, organizationId, requestId, approvalId } = ReplyApprovalDecided.read(
        data,
        envelope.schemaVersion,
      );
      const job: ReplyJob = {
        conversationId,
        organizationId,
        requestId,
        correlationId: envelope.correlationId,
        causationId: envelope.commandId,
        position: formatPosition(position),
      };
      const group = { id: organizationId };
      await boss.insert(REPLY_QUEUE.name, [{ id: approvalId, data: withTrace(job), group }]);
      await pool.query('select pg_notify($1, $2)', [JOBS_CHANNEL, REPLY_QUEUE.name]);
    },
  });

/** Continues replies until it is disposed of. */
export function workOnReplies(boss: PgBoss, replies: Replies, log: Log): QueueWorker {
  const { name } = REPLY_QUEUE;
  const run = (job: JobWithMetadata<ReplyJob>) =>
    tracedJob(name, job.data, () => runJob(job, replies, log));
  const turns = new FairQueue('replies', LIMITS);
  const worker = startJobWorker({ boss, queue: name, turns, log, run });
  return {
    announce: worker.announce,
    async [Symbol.asyncDispose]() {
      // It claims no more jobs, and those that run are left to another worker.
      const ended = worker[Symbol.asyncDispose]();
      await replies.close();
      await ended;
    },
  };
}

async function runJob({ data, ...job }: JobWithMetadata<ReplyJob>, replies: Replies, log: Log) {
  try {
    await replies.resume(data, job.signal);
  } catch (error) {
    const { conversationId, correlationId } = data;
    log.warn('a reply was not continued', { conversationId, correlationId, ...errorFields(error) });
    if (job.retryCount < job.retryLimit || job.signal.aborted) throw error;
    await replies.giveUp(data);
  }
}
