import { setTimeout as pause } from 'node:timers/promises';

type Looking = { readonly everyMs: number; readonly maxMs: number; readonly signal?: AbortSignal };

/**
 * Looks until something is there, at least once; null when it is not in time. Rejects when the signal
 * aborts.
 */
export async function lookUntil<T>(
  look: () => Promise<T | null>,
  { everyMs, maxMs, signal }: Looking,
): Promise<T | null> {
  for (const since = performance.now(); ; ) {
    const found = await look();
    if (found !== null || performance.now() - since > maxMs) return found;
    await pause(everyMs, undefined, { signal });
  }
}
