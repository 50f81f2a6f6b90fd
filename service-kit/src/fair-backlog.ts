import type { FairQueue } from './fair-queue.ts';

/** What to fetch: at most this much, excluding these organizations. */
export type Fetch = { readonly limit: number; readonly without: readonly string[] };

/**
 * Decides what to fetch next from a backlog stored elsewhere, such as in a table: at most the cap
 * per organization, and if places are scarce, first for organizations with the least running work.
 * The table then needs no order by organization, only its own and the exclusions. One fetch at a
 * time.
 */
export class FairBacklog {
  readonly #queue: FairQueue;
  /** The organizations that may have work in the backlog; null: any. */
  #known: Set<string> | null = null;
  /** Notifications since the current fetch started. */
  #news: Set<string> | null = new Set();

  constructor(queue: FairQueue) {
    this.#queue = queue;
  }

  /** There is work of this organization, or perhaps of any. */
  announced(organizationId?: string): void {
    if (organizationId === undefined) {
      this.#known = null;
      this.#news = null;
      return;
    }
    this.#known?.add(organizationId);
    this.#news?.add(organizationId);
  }

  /** Null while there is nothing to fetch, or no place for it. */
  next(): Fetch | null {
    const queue = this.#queue;
    const { concurrency, concurrencyPerOrganization: cap } = queue.limits;
    const counts = [...(this.#known ?? [])].map((id) => queue.runningOf(id));
    const below = this.#known ? counts.filter((count) => count < cap) : [0];
    if (queue.free <= 0 || below.length === 0) return null;
    this.#news = new Set();
    // While there are many places, one fetch for everyone below the cap does.
    if (queue.free >= concurrency - cap) return this.#upTo(cap - 1, cap);
    const least = Math.min(...below);
    return this.#upTo(least, Math.min(cap, ...below.filter((count) => count > least)));
  }

  /** For organizations with at most `most` running, so that none exceeds `limit`. */
  #upTo(most: number, limit: number): Fetch {
    const queue = this.#queue;
    const running = queue.runningOrganizations().map((id) => [id, queue.runningOf(id)] as const);
    const counts = running.map(([, count]) => count).filter((count) => count <= most);
    return {
      limit: Math.min(queue.free, limit - Math.max(0, ...counts)),
      without: running.filter(([, count]) => count > most).map(([id]) => id),
    };
  }

  /** How much the fetch gave; its work is running by now. */
  fetched({ limit, without }: Fetch, count: number): void {
    if (count >= limit || this.#news === null) return;
    const known = this.#known;
    const left = known ? without.filter((id) => known.has(id)) : without;
    this.#known = new Set([...left, ...this.#news]);
  }
}
