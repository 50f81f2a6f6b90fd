import { setTimeout as pause } from 'node:timers/promises';

type Polling = { readonly everyMs: number; readonly maxMs: number; readonly signal?: AbortSignal };

/**
 * Polls until something is there, at least once; null when it is not in time. Rejects when the signal
 * aborts.
 */
export async function pollUntil<T>(
  poll: () => Promise<T | null>,
  { everyMs, maxMs, signal }: Polling,
): Promise<T | null> {
  for (const since = performance.now(); ; ) {
    const found = await poll();
    if (found !== null || performance.now() - since > maxMs) return found;
    await pause(everyMs, undefined, { signal });
  }
}
