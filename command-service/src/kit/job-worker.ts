import { setTimeout as rest } from 'node:timers/promises';
import { FairBacklog, type Fetch } from '@tallyhand/service-kit/fair-backlog';
import type { FairQueue } from '@tallyhand/service-kit/fair-queue';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { Batcher } from './batcher.ts';
import {
  countedJob,
  HEARTBEAT_SECONDS,
  LOOK_SECONDS,
  type QueueWorker,
  RETRY_LOOK_MS,
} from './jobs.ts';

/** Jobs within this time are fetched together while others run. */
const FETCH_REST_MS = 10;
/** Completions within this time are stored together. */
const COMPLETE_REST_MS = 50;
/** How long a stopping worker waits for its jobs. */
const STOP_MS_MAX = 1_000;

type Running<T> = {
  readonly job: JobWithMetadata<T>;
  readonly lost: AbortController;
  readonly done: Promise<void>;
};

/** The organization is also the id of the job's group. */
export type OrganizationJob = { readonly organizationId: string };

export type JobWorker = QueueWorker & {
  /** Whether a job of the organization would be run here at once. */
  hasPlaceFor(organizationId: string): boolean;
};

type Taking<T extends OrganizationJob> = {
  readonly boss: PgBoss;
  readonly queue: string;
  readonly turns: FairQueue;
  readonly log: Log;
  readonly run: (job: JobWithMetadata<T>) => Promise<void>;
};

/**
 * Claims jobs from a queue, in turns by organization, until it is disposed of. One request fetches
 * jobs for all idle slots and one completes those that ended meanwhile, so that a job's share of
 * the queue's cost falls as load rises; a slot is idle as soon as its job has run. If `run` throws,
 * the job is retried, by any worker.
 */
export function startJobWorker<T extends OrganizationJob>({
  boss,
  queue,
  turns,
  log,
  run,
}: Taking<T>): JobWorker {
  const backlog = new FairBacklog(turns);
  const running = new Map<string, Running<T>>();
  const noting = new Set<Promise<void>>();
  const stopping = new AbortController();
  let wake = () => {};
  const announce = (organizationId?: string) => {
    backlog.announced(organizationId);
    wake();
  };
  const completions = new Batcher(
    (jobs: readonly JobWithMetadata<T>[]) => boss.complete(queue, [...jobs]),
    COMPLETE_REST_MS,
  );

  /** Waits until a job ends or may have arrived. */
  const idle = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });

  async function takeAll() {
    while (!stopping.signal.aborted) {
      const next = backlog.next();
      const isTaken = next !== null && (await take(next));
      if (isTaken && running.size > 0) await rest(FETCH_REST_MS);
      if (!stopping.signal.aborted && !(isTaken && backlog.next())) await idle();
    }
  }

  async function take(next: Fetch): Promise<boolean> {
    try {
      const jobs = await fetchJobs<T>(boss, queue, next);
      for (const job of jobs) start(job);
      backlog.fetched(next, jobs.length);
      return true;
    } catch (error) {
      log.warn('no jobs could be claimed', errorFields(error));
      return false;
    }
  }

  function start(job: JobWithMetadata<T>) {
    const lost = new AbortController();
    job.signal = lost.signal;
    // The fetch has reserved its slot.
    const ran = turns.run(job.data.organizationId, () => run(job));
    const done = countedJob(queue, ran).then(
      () => noteEnd(job, () => completions.add(job)),
      ({ message }: Error) => {
        noteEnd(job, () => boss.fail(queue, job, { message }));
        setTimeout(announce, RETRY_LOOK_MS).unref();
      },
    );
    running.set(job.id, { job, lost, done });
  }

  function noteEnd(job: JobWithMetadata<T>, note: () => Promise<unknown>) {
    running.delete(job.id);
    wake();
    const noted = orLogged(note(), log, job.id).finally(() => noting.delete(noted));
    noting.add(noted);
  }

  const heartbeat = keepRunning(boss, queue, log, running);
  const polling = setInterval(() => announce(), LOOK_SECONDS * 1_000);
  const taking = takeAll();
  return {
    hasPlaceFor: (organizationId: string) => turns.hasPlaceFor(organizationId),
    announce,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      clearInterval(polling);
      wake();
      await taking;
      await endOf([...running.values()]);
      await Promise.all(noting);
      clearInterval(heartbeat);
    },
  };
}

async function orLogged(noted: Promise<unknown>, log: Log, jobId: string): Promise<void> {
  try {
    await noted;
  } catch (error) {
    // Without a heartbeat the claim expires, and the job is run again.
    log.warn('the end of a job was not recorded', { jobId, ...errorFields(error) });
  }
}

function fetchJobs<T>(boss: PgBoss, queue: string, { limit: batchSize, without }: Fetch) {
  const ignoreGroups = [...without];
  return boss.fetch<T>(queue, { batchSize, ignoreGroups, includeMetadata: true });
}

/** Keeps the claims of running jobs: without a heartbeat they are given to others. */
function keepRunning<T extends OrganizationJob>(
  boss: PgBoss,
  queue: string,
  log: Log,
  running: ReadonlyMap<string, Running<T>>,
): NodeJS.Timeout {
  return setInterval(async () => {
    const held = [...running.values()];
    if (held.length === 0) return;
    try {
      const jobs = held.map(({ job }) => job);
      const kept = settledOf(await boss.touch(queue, jobs));
      // Another worker has claimed it meanwhile.
      for (const { job, lost } of held) if (kept && !kept.has(job.id)) lost.abort();
    } catch (error) {
      log.warn('heartbeats of running jobs were not sent', errorFields(error));
    }
  }, HEARTBEAT_SECONDS * 500);
}

/** Waits a moment for running jobs, and then stops them. */
async function endOf<T extends OrganizationJob>(held: readonly Running<T>[]) {
  const timer = setTimeout(() => {
    for (const { lost } of held) lost.abort();
  }, STOP_MS_MAX);
  await Promise.all(held.map(({ done }) => done));
  clearTimeout(timer);
}

/** The jobs that a heartbeat confirmed as claimed; null if the answer does not say. */
function settledOf(answer: { readonly settled?: readonly string[] }): Set<string> | null {
  return answer.settled ? new Set(answer.settled) : null;
}
