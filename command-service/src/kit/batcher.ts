import { setTimeout as rest } from 'node:timers/promises';

/** So many go into one statement. */
const BATCH_MAX = 200;

type Waiting<T> = {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Joins calls that arrive while one is running: the first is sent at once, waiting ones together
 * when it is done and has paused. Under load many callers share one statement, and a single caller
 * does not wait.
 */
export function together<T>(
  run: (items: readonly T[]) => Promise<unknown>,
  restMs = 0,
): (item: T) => Promise<void> {
  const waiting: Waiting<T>[] = [];
  let isRunning = false;

  async function drain() {
    isRunning = true;
    for (let batch = waiting.splice(0, BATCH_MAX); batch.length > 0; ) {
      try {
        await run(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      if (restMs > 0) await rest(restMs);
      batch = waiting.splice(0, BATCH_MAX);
    }
    isRunning = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isRunning) void drain();
    });
}
