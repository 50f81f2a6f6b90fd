/** Waits before restarts, in milliseconds. */
export const backoffMs = { first: 200, max: 5000, resetAfter: 30_000 };

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
