import { setTimeout as wait } from 'node:timers/promises';

/** A running part, which may fail. */
export type Running = {
  pid: number;
  /** Resolves with the exit code, or null after a signal. */
  exited: Promise<number | null>;
  /** Asks it to stop, kills it after a while, and resolves when it is gone. */
  stop(): Promise<void>;
};

export type Part<R extends Running = Running> = {
  name: string;
  /** Resolves when it is ready; rejects when it ended, took too long or was aborted before. */
  start(stopping: AbortSignal): Promise<R>;
};

export type Watcher = {
  /** A part exited and restarts in `waitMs`. */
  ended(name: string, reason: string, waitMs: number): void;
  recovered(name: string): void;
};

export type Supervised<R extends Running> = {
  /** The process of the first start; later ones keep its addresses. */
  first: R;
  stop(): Promise<void>;
};

/**
 * Starts a part and keeps it running until `stopping` is aborted: then nothing is restarted any
 * more, and `stop` ends it. Rejects if the first start fails, which a restart would not fix. Later
 * failures are retried forever, with growing waits.
 */
export async function supervise<R extends Running>(
  part: Part<R>,
  watcher: Watcher,
  stopping: AbortSignal,
): Promise<Supervised<R>> {
  const first = await part.start(stopping);
  let current: Running = first;
  const loop = keepRunning();

  async function keepRunning(): Promise<void> {
    const backoff = createBackoff();
    let readyAt = performance.now();
    let reason = endOf(await current.exited);
    while (!stopping.aborted) {
      const waitMs = backoff.next(performance.now() - readyAt);
      watcher.ended(part.name, reason, waitMs);
      await wait(waitMs, undefined, { signal: stopping }).catch(() => {});
      if (stopping.aborted) return;
      try {
        current = await part.start(stopping);
        readyAt = performance.now();
        if (stopping.aborted) return await current.stop();
        watcher.recovered(part.name);
        reason = endOf(await current.exited);
      } catch (error) {
        readyAt = performance.now();
        reason = error instanceof Error ? error.message : String(error);
      }
    }
  }

  return {
    first,
    async stop() {
      await current.stop();
      await loop;
    },
  };
}

function endOf(code: number | null): string {
  return code === null ? 'it was killed' : `it ended with code ${code}`;
}

/** Waits before restarts, in milliseconds. */
const backoffMs = { first: 200, max: 5000, resetAfter: 30_000 };

/**
 * How long to wait before the next restart: doubled each time, and reset after the part ran well
 * for a while. `ranMs` is how long it ran, 0 if it never became ready.
 */
export function createBackoff(): { next(ranMs: number): number } {
  let waitMs = backoffMs.first;
  return {
    next(ranMs) {
      if (ranMs >= backoffMs.resetAfter) waitMs = backoffMs.first;
      const now = waitMs;
      waitMs = Math.min(waitMs * 2, backoffMs.max);
      return now;
    },
  };
}

export type OnDemand = {
  /** Starts it, unless it runs already or has just failed. Returns at once. */
  want(): void;
  stop(): Promise<void>;
};

/** A part that starts on demand and is then kept running. */
export function onDemand(
  part: Part,
  watcher: Watcher,
  stopping: AbortSignal,
  onFailure: (reason: string) => void,
): OnDemand {
  const backoff = createBackoff();
  let started: Promise<Supervised<Running>> | null = null;
  let triedAgainAt = 0;
  return {
    want() {
      if (started || stopping.aborted || performance.now() < triedAgainAt) return;
      started = supervise(part, watcher, stopping);
      started.catch((error) => {
        started = null;
        triedAgainAt = performance.now() + backoff.next(0);
        if (!stopping.aborted) onFailure(error instanceof Error ? error.message : String(error));
      });
    },
    async stop() {
      const running = await started?.catch(() => null);
      await running?.stop();
    },
  };
}
