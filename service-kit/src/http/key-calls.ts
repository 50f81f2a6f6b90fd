const MINUTE_MS = 60_000;
const REPORT_EVERY_MS = 10_000;
const SHARED_EVERY_MS = 1_000;
/** Beyond it calls are counted by address alone. */
const KEYS_MAX = 100_000;
/** Many more than run at once; those that ended in this minute are among them. */
const PROCESSES_MAX = 1_000;

export type KeyCallsOptions = {
  readonly perMinute: number;
  readonly scale: number;
  /** Receives each used key, at most once in ten seconds. Never throws. */
  readonly report: (digest: string, count: number) => void | Promise<void>;
  /**
   * Receives, about once a second, the cost of the used keys in the current minute. Never throws.
   */
  readonly share?: (costs: KeyCosts) => void | Promise<void>;
  readonly sharedEveryMs?: number;
  readonly now?: () => number;
};

/** What one process has let through in a minute (since 1970), by key: totals, not increments. */
export type KeyCosts = { readonly minute: number; readonly costs: readonly [string, number][] };

/** Calls with API keys, as counted by this process and reported by others. */
export type KeyCalls = AsyncDisposable & {
  /** Counts a call by its cost; null, or after how many seconds the key may call again. */
  count(digest: string, weight: number): number | null;
  /** Adds the counts of another process. */
  addFrom(process: string, costs: KeyCosts): void;
};

export function keyCalls(options: KeyCallsOptions): KeyCalls {
  const { perMinute, scale, report, share, sharedEveryMs, now = Date.now } = options;
  const costMax = Math.ceil(perMinute * scale);
  const costs = new Map<string, number>();
  /** By process and key. */
  const elsewhere = new Map<string, Map<string, number>>();
  const unreported = new Map<string, number>();
  const unshared = new Set<string>();
  const reporting = new Set<Promise<void>>();
  let minute = 0;
  let timer: NodeJS.Timeout | undefined;
  let sharing: NodeJS.Timeout | undefined;

  function during(work: void | Promise<void>) {
    const done = Promise.resolve(work).finally(() => reporting.delete(done));
    reporting.add(done);
  }

  function reportAll() {
    timer = undefined;
    for (const [digest, count] of unreported) during(report(digest, count));
    unreported.clear();
  }

  function shareAll() {
    sharing = undefined;
    const known = [...unshared].map((digest): [string, number] => [digest, costs.get(digest) ?? 0]);
    unshared.clear();
    if (share && known.length > 0) during(share({ minute, costs: known }));
  }

  function forgetThePast(at: number) {
    if (Math.floor(at / MINUTE_MS) === minute) return;
    minute = Math.floor(at / MINUTE_MS);
    for (const past of [costs, elsewhere, unshared]) past.clear();
  }

  function costOf(digest: string): number {
    let cost = costs.get(digest) ?? 0;
    for (const of of elsewhere.values()) cost += of.get(digest) ?? 0;
    return cost;
  }

  function add(counts: Map<string, number>, digest: string, more: number) {
    if (!counts.has(digest) && counts.size >= KEYS_MAX) return;
    counts.set(digest, (counts.get(digest) ?? 0) + more);
  }

  return {
    count(digest, weight) {
      const at = now();
      forgetThePast(at);
      if (costOf(digest) + weight > costMax) {
        return Math.ceil(((minute + 1) * MINUTE_MS - at) / 1000);
      }
      add(costs, digest, weight);
      add(unreported, digest, 1);
      timer ??= setTimeout(reportAll, REPORT_EVERY_MS).unref();
      if (share) {
        unshared.add(digest);
        sharing ??= setTimeout(shareAll, sharedEveryMs ?? SHARED_EVERY_MS).unref();
      }
      return null;
    },
    addFrom(process, { minute: ofMinute, costs: reported }) {
      forgetThePast(now());
      if (ofMinute !== minute) return;
      const known = elsewhere.get(process) ?? new Map<string, number>();
      if (elsewhere.size < PROCESSES_MAX) elsewhere.set(process, known);
      for (const [digest, cost] of reported) if (known.size < KEYS_MAX) known.set(digest, cost);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      clearTimeout(sharing);
      reportAll();
      shareAll();
      await Promise.all(reporting);
    },
  };
}
