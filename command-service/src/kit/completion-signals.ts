import { newId } from '@tallyhand/service-kit/crypto/ids';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { listen } from '@tallyhand/service-kit/postgres/listener';
import type pg from 'pg';
import { Batcher } from './batcher.ts';

const CHANNEL = 'work_ended';
/** Ends within this time are announced to other processes together. */
const REST_MS = 20;

/** Announces the end of work to all processes that wait for it. */
export type CompletionSignals = AsyncDisposable & {
  /** Notifies this process at once; resolves when the others have been notified. */
  announce(workId: string, position: string): Promise<void>;
  /** The position at the end, or null when it did not come within `timeoutMs`. */
  wait(workId: string, timeoutMs: number): { ended: Promise<string | null>; cancel(): void };
};

export async function openCompletionSignals(
  url: string,
  pool: pg.Pool,
  log: Log,
): Promise<CompletionSignals> {
  const waiting = new Map<string, Set<(position: string | null) => void>>();
  const ownId = newId();
  function resolveWaiting(workId: string, position: string) {
    for (const resolve of waiting.get(workId) ?? []) resolve(position);
  }

  const listener = await listen({
    url,
    log,
    channels: [CHANNEL],
    onConnect: async () => {},
    onNotification(_, payload) {
      const [workId = '', position = '', by] = payload.split(' ');
      if (by !== ownId) resolveWaiting(workId, position);
    },
  });

  const notifications = new Batcher(
    (payloads: readonly string[]) =>
      pool.query('select pg_notify($1, payload) from unnest($2::text[]) payload', [
        CHANNEL,
        payloads,
      ]),
    REST_MS,
  );

  return {
    announce(workId, position) {
      resolveWaiting(workId, position);
      return notifications
        .add(`${workId} ${position} ${ownId}`)
        .catch((error) => log.warn('a completion was not announced', errorFields(error)));
    },
    wait(workId, timeoutMs) {
      const { promise, resolve } = Promise.withResolvers<string | null>();
      const timer = setTimeout(() => resolve(null), timeoutMs);
      const all = waiting.get(workId) ?? new Set();
      waiting.set(workId, all.add(resolve));
      const cancel = () => resolve(null);
      const ended = promise.finally(() => {
        clearTimeout(timer);
        all.delete(resolve);
        if (all.size === 0) waiting.delete(workId);
      });
      return { ended, cancel };
    },
    async [Symbol.asyncDispose]() {
      for (const all of waiting.values()) for (const resolve of all) resolve(null);
      await listener[Symbol.asyncDispose]();
    },
  };
}
