import { LRUCache } from 'lru-cache';

/** Beyond it the least recently used is forgotten, and may be reported again sooner. */
const REMEMBERED_MAX = 10_000;

/** Reports a frequent event at most once in `everyMs` for each id. `now`: in ms. */
export function throttle(
  everyMs: number,
  report: (id: string, at: Date) => void,
  now: () => number = Date.now,
): (id: string) => void {
  const lastAt = new LRUCache<string, number>({ max: REMEMBERED_MAX });
  return (id) => {
    const at = now();
    if (at - (lastAt.get(id) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
    lastAt.set(id, at);
    report(id, new Date(at));
  };
}

/** How often the use of a sign-in is reported. */
export const SEEN_EVERY_MS = 10_000;
