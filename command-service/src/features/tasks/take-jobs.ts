import { setTimeout as rest } from 'node:timers/promises';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { countedJob, HEARTBEAT_SECONDS } from '../../kit/jobs.ts';
import { together } from '../../kit/together.ts';

const AT_ONCE_MAX = 16;
/** Finds what nobody told of, as retries. */
const POLLING_MS = 2_000;
/** What comes so soon after others, while some are run, is fetched together. */
const FETCH_REST_MS = 10;
/** Nobody waits for the end of a job to be noted. */
const COMPLETE_REST_MS = 50;
/** Whoever stops waits so long for what is under way. */
const STOP_MS_MAX = 1_000;

type Running<T> = {
  readonly job: JobWithMetadata<T>;
  readonly lost: AbortController;
  readonly done: Promise<void>;
};

/**
 * Takes jobs from a queue, as many at once as it has hands, until it is disposed of. One request
 * fetches for all free hands and one completes what ended meanwhile, so that a task's share of the
 * queue's cost falls as load rises; a hand is free as soon as its job has run. `run` that throws is
 * tried again, by whoever is free then.
 */
export function takeJobs<T extends object>(options: {
  readonly boss: PgBoss;
  readonly queue: string;
  readonly log: Log;
  readonly run: (job: JobWithMetadata<T>) => Promise<void>;
}) {
  const { boss, queue, log, run } = options;
  const running = new Map<string, Running<T>>();
  const noting = new Set<Promise<void>>();
  const stopping = new AbortController();
  let isTold = true;
  let wake = () => {};
  const freeHands = () => AT_ONCE_MAX - running.size;
  const look = () => {
    isTold = true;
    wake();
  };
  const complete = together(
    (jobs: readonly JobWithMetadata<T>[]) => boss.complete(queue, [...jobs]),
    COMPLETE_REST_MS,
  );

  /** Waits until there is something to look for and a hand for it. */
  async function idle() {
    const poll = setTimeout(look, POLLING_MS);
    while (!stopping.signal.aborted && !(isTold && freeHands() > 0)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    clearTimeout(poll);
  }

  async function takeAll() {
    while (!stopping.signal.aborted) {
      isTold = false;
      const batchSize = freeHands();
      try {
        const jobs = await boss.fetch<T>(queue, { batchSize, includeMetadata: true });
        for (const job of jobs) start(job);
        if (jobs.length === batchSize) isTold = true;
      } catch (error) {
        log.warn('no jobs could be taken', errorFields(error));
      }
      if (running.size > 0) await rest(FETCH_REST_MS);
      await idle();
    }
  }

  function start(job: JobWithMetadata<T>) {
    const lost = new AbortController();
    job.signal = lost.signal;
    const done = countedJob(queue, run(job)).then(
      () => noteEnd(job, () => complete(job)),
      ({ message }: Error) => noteEnd(job, () => boss.fail(queue, job, { message })),
    );
    running.set(job.id, { job, lost, done });
  }

  function noteEnd(job: JobWithMetadata<T>, note: () => Promise<unknown>) {
    running.delete(job.id);
    wake();
    const noted = note()
      .then(() => {})
      // Its heartbeat has ended, and with it our claim: it is run again.
      .catch((error) =>
        log.warn('the end of a job was not noted', { jobId: job.id, ...errorFields(error) }),
      )
      .finally(() => noting.delete(noted));
    noting.add(noted);
  }

  const heartbeat = keepRunning(boss, queue, log, running);
  const taking = takeAll();
  return {
    freeHands,
    look,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      wake();
      await taking;
      await endOf([...running.values()]);
      await Promise.all(noting);
      clearInterval(heartbeat);
    },
  };
}

/** Tells again and again that we still work on them: what is not told of is given to others. */
function keepRunning<T extends object>(
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
      // Another has taken it over meanwhile.
      for (const { job, lost } of held) if (kept && !kept.has(job.id)) lost.abort();
    } catch (error) {
      log.warn('running jobs were not kept', errorFields(error));
    }
  }, HEARTBEAT_SECONDS * 500);
}

/** Waits a moment for what is under way, and then stops it. */
async function endOf<T extends object>(held: readonly Running<T>[]) {
  const timer = setTimeout(() => {
    for (const { lost } of held) lost.abort();
  }, STOP_MS_MAX);
  await Promise.all(held.map(({ done }) => done));
  clearTimeout(timer);
}

/** The jobs that a heartbeat still found to be ours; null where the answer does not tell. */
function settledOf(answer: { readonly settled?: readonly string[] }): Set<string> | null {
  return answer.settled ? new Set(answer.settled) : null;
}
