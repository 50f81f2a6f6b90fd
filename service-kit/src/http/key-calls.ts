const MINUTE_MS = 60_000;
const TOLD_EVERY_MS = 10_000;
/** Beyond it calls are counted by address alone. */
const KEYS_MAX = 100_000;

export type KeyCallsOptions = {
  readonly perMinute: number;
  readonly scale: number;
  /** Hears of each key that was used, at most once in ten seconds. Never throws. */
  readonly tell: (digest: string, count: number) => void | Promise<void>;
  readonly now?: () => number;
};

/** Calls with API keys, as this process counts them. */
export type KeyCalls = AsyncDisposable & {
  /** Counts a call by what it costs; null, or after how many seconds the key may call again. */
  count(digest: string, weight: number): number | null;
};

export function keyCalls({ perMinute, scale, tell, now = Date.now }: KeyCallsOptions): KeyCalls {
  const costMax = Math.ceil(perMinute * scale);
  const costs = new Map<string, number>();
  const untold = new Map<string, number>();
  const telling = new Set<Promise<void>>();
  let minute = 0;
  let timer: NodeJS.Timeout | undefined;

  function tellAll() {
    timer = undefined;
    for (const [digest, count] of untold) {
      const told = Promise.resolve(tell(digest, count)).finally(() => telling.delete(told));
      telling.add(told);
    }
    untold.clear();
  }

  function add(counts: Map<string, number>, digest: string, more: number) {
    if (!counts.has(digest) && counts.size >= KEYS_MAX) return;
    counts.set(digest, (counts.get(digest) ?? 0) + more);
  }

  return {
    count(digest, weight) {
      const at = now();
      if (Math.floor(at / MINUTE_MS) !== minute) {
        minute = Math.floor(at / MINUTE_MS);
        costs.clear();
      }
      if ((costs.get(digest) ?? 0) + weight > costMax) {
        return Math.ceil(((minute + 1) * MINUTE_MS - at) / 1000);
      }
      add(costs, digest, weight);
      add(untold, digest, 1);
      timer ??= setTimeout(tellAll, TOLD_EVERY_MS).unref();
      return null;
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      tellAll();
      await Promise.all(telling);
    },
  };
}
