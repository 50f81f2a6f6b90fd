import { setTimeout as rest } from 'node:timers/promises';

const BATCH_MAX = 200;

type Waiting<T> = {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Runs items in batches. The first runs at once; those that arrive meanwhile run together after it
 * and a pause of `restMs`. Under load many callers share one statement; a single one does not wait.
 */
export class Batcher<T> {
  readonly #run: (items: readonly T[]) => Promise<unknown>;
  readonly #restMs: number;
  readonly #waiting: Waiting<T>[] = [];
  #isRunning = false;

  constructor(run: (items: readonly T[]) => Promise<unknown>, restMs = 0) {
    this.#run = run;
    this.#restMs = restMs;
  }

  /** Resolves when the item's batch is done, and rejects when it fails. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isRunning) void this.#drain();
    });
  }

  async #drain() {
    this.#isRunning = true;
    for (let batch = this.#next(); batch.length > 0; batch = this.#next()) {
      try {
        await this.#run(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      if (this.#restMs > 0) await rest(this.#restMs);
    }
    this.#isRunning = false;
  }

  #next() {
    return this.#waiting.splice(0, BATCH_MAX);
  }
}
