import type { FairQueue } from '@tallyhand/service-kit/fair-queue';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { listen } from '@tallyhand/service-kit/postgres/listener';

type Dispatching<T> = {
  /** The database that announces new rows on `channel`. */
  readonly url: string;
  readonly channel: string;
  readonly log: Log;
  readonly turns: FairQueue;
  /** How often due rows are looked for without an announcement, in milliseconds. */
  readonly lookMs: number;
  /** How long running work may continue when the dispatcher stops, in milliseconds. */
  readonly graceMs: number;
  /** Claims due rows. */
  readonly claim: (limit: number) => Promise<readonly T[]>;
  /** Returns claimed rows to the queue that are not among the running ones. */
  readonly putBackOthers: (running: readonly string[]) => Promise<unknown>;
  /** Whether a row whose work failed may be put back and repeated. */
  readonly isRepeatable: boolean;
  readonly idOf: (row: T) => string;
  readonly organizationOf: (row: T) => string;
  /** Resolves to the time after which the row is due again, in milliseconds; null if it is not. */
  readonly run: (row: T, stop: AbortSignal) => Promise<number | null>;
  /** The warning when rows could not be claimed, and the error when an outcome was not stored. */
  readonly messages: { readonly notClaimed: string; readonly notRecorded: string };
};

/**
 * Works off rows of a table, in turns by organization, until it is disposed of. Only one dispatcher
 * of a table may run at a time.
 */
export async function startDispatcher<T>(options: Dispatching<T>): Promise<AsyncDisposable> {
  const { log, turns, messages } = options;
  const stop = new AbortController();
  const running = new Map<string, Promise<void>>();
  let looking: Promise<void> | null = null;
  let isWanted = false;
  let isClosed = false;
  /** Rows may be claimed that are not running. */
  let hasStray = false;

  async function look() {
    while (isWanted && !isClosed) {
      isWanted = false;
      if (hasStray) {
        await options.putBackOthers([...running.keys()]);
        hasStray = false;
      }
      const claimed = turns.free > 0 ? await options.claim(turns.free) : [];
      for (const row of claimed) begin(row);
    }
  }

  function want() {
    isWanted = true;
    looking ??= look()
      .catch((error) => {
        hasStray = true;
        log.warn(messages.notClaimed, errorFields(error));
      })
      .finally(() => {
        looking = null;
        // It may have been wanted again after the last look.
        if (isWanted && !isClosed) want();
      });
  }

  function begin(row: T) {
    const work = () => options.run(row, stop.signal);
    const ended = turns
      .run(options.organizationOf(row), work)
      .then((dueMs) => {
        // What is due later is found in time without it.
        if (dueMs !== null && dueMs <= options.lookMs) setTimeout(want, dueMs).unref();
      })
      .catch((error) => {
        if (options.isRepeatable) hasStray = true;
        log.error(messages.notRecorded, errorFields(error));
      })
      .finally(() => {
        running.delete(options.idOf(row));
        want();
      });
    running.set(options.idOf(row), ended);
  }

  const listener = await listen({
    url: options.url,
    log,
    channels: [options.channel],
    onNotification: want,
    onConnect: async () => want(),
  });
  const timer = setInterval(want, options.lookMs);
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearInterval(timer);
      const lastMoment = setTimeout(() => stop.abort(), running.size > 0 ? options.graceMs : 0);
      await listener[Symbol.asyncDispose]();
      await looking;
      await Promise.all(running.values());
      clearTimeout(lastMoment);
    },
  };
}
