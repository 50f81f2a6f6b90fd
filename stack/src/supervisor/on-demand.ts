import { createBackoff } from './backoff.ts';
import { type Part, type Running, type Supervised, supervise, type Watcher } from './supervise.ts';

export type OnDemand = {
  /** Starts it, unless it runs already or has just failed. Returns at once. */
  want(): void;
  stop(): Promise<void>;
};

/** A part that is started when it is first wanted, and kept running from then on. */
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
