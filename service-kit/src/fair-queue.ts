import { OrganizationQueueFull, ServerQueueFull } from '@tallyhand/contracts/kernel/problem';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import { counter, level } from './metrics/counter.ts';
import { gauge } from './metrics/instruments.ts';

export type FairQueueLimits = {
  /** Pieces of work that run at once, of all organizations together. */
  readonly concurrency: number;
  /** Below `concurrency`, so that one organization alone can't take every place. */
  readonly concurrencyPerOrganization: number;
  readonly waitingMax: number;
  readonly waitingPerOrganizationMax: number;
  /** Begun and not ended, suspended work included; as many as may run without it. */
  readonly startedMax?: number;
  readonly startedPerOrganizationMax?: number;
};

/** The place of running work. While it is suspended, other work runs in its place. */
export type Place = {
  suspend(): void;
  /**
   * Waits for a place again, ahead of work of the organization that has not begun. Rejects when the
   * caller is gone or the work ends meanwhile.
   */
  resume(): Promise<void>;
};

/** The work was refused: too much is waiting, of its organization or of all. */
export type QueueFull = RefusalOf<typeof OrganizationQueueFull | typeof ServerQueueFull>;

type RunOptions = { readonly signal?: AbortSignal | undefined };
type Work<T> = (place: Place) => T | Promise<T>;

const RETRY_SECONDS_MAX = 60;

const work = level({
  name: 'tallyhand_shared_queue_work',
  help: 'Work of the queues that organizations share, by queue and state.',
});
const refused = counter({
  name: 'tallyhand_shared_queue_refused_total',
  help: 'Work that a shared queue did not take, by queue and by the limit that was reached.',
});
/** Every queue of the process that has something waiting. */
const backlogged = new Set<FairQueue>();
const names = new Set<string>();
gauge({
  name: 'tallyhand_shared_queue_oldest_wait_seconds',
  help: 'How long the oldest work that waits in a shared queue has waited.',
  read: () => [...names].map((queue) => ({ labels: { queue }, value: oldestWaitIn(queue) })),
});

function oldestWaitIn(name: string): number {
  const own = [...backlogged].filter((queue) => queue.name === name);
  return Math.max(0, ...own.map((queue) => queue.oldestWaitSeconds()));
}

type Waiting = {
  readonly since: number;
  readonly start: () => void;
};

type Turn = {
  readonly kind: 'waiting' | 'resuming';
  readonly signal: AbortSignal | undefined;
  readonly isRefusable: boolean;
};

/** One organization's work in the queue. */
type Lane = {
  /** The round in which it is served next. */
  round: number;
  running: number;
  started: number;
  readonly resuming: Waiting[];
  readonly waiting: Waiting[];
};

const NEW_LANE: Lane = { round: 0, running: 0, started: 0, resuming: [], waiting: [] };

/**
 * Runs work of many organizations in turns: a free place goes to an organization below its cap that
 * was not served in this round yet (round robin), and there to the oldest work. All state is in
 * memory: the limits hold for one process.
 */
export class FairQueue {
  readonly name: string;
  readonly limits: Required<FairQueueLimits>;
  readonly #lanes = new Map<string, Lane>();
  /** The organizations that have something waiting; the first come first in each round. */
  readonly #line = new Set<string>();
  /** Each organization is served once in a round. */
  #round = 0;
  #running = 0;
  #started = 0;
  #waiting = 0;

  constructor(name: string, limits: FairQueueLimits) {
    const { concurrency, concurrencyPerOrganization } = limits;
    this.name = name;
    this.limits = {
      startedMax: concurrency,
      startedPerOrganizationMax: concurrencyPerOrganization,
      ...limits,
    };
    names.add(name);
    for (const state of ['running', 'suspended', 'waiting']) this.#count(state, 0);
    for (const limit of ['organization', 'total']) refused.add({ queue: name, limit }, 0);
  }

  /** Places that are free. */
  get free(): number {
    return this.limits.concurrency - this.#running;
  }

  runningOf(organizationId: string): number {
    return this.#lanes.get(organizationId)?.running ?? 0;
  }

  /** Whether work of the organization would run at once, if nothing waits. */
  hasPlaceFor(organizationId: string): boolean {
    const { concurrencyPerOrganization } = this.limits;
    return this.free > 0 && this.runningOf(organizationId) < concurrencyPerOrganization;
  }

  /** The organizations with running work. */
  runningOrganizations(): string[] {
    return [...this.#lanes].filter(([, { running }]) => running > 0).map(([id]) => id);
  }

  /**
   * The refusal that new work of the organization would get now. For callers that would have to
   * prepare something costly before they run it.
   */
  refusalFor(organizationId: string): QueueFull | null {
    const lane = this.#lanes.get(organizationId) ?? NEW_LANE;
    return this.free > 0 && this.#mayStart(lane) ? null : this.#fullFor(lane, 1);
  }

  /** Of the work that waits for a place, begun or not. */
  oldestWaitSeconds(): number {
    const firsts = [...this.#lanes.values()].flatMap(({ resuming: [a], waiting: [b] }) => [a, b]);
    const since = Math.min(...firsts.map((first) => first?.since ?? Number.POSITIVE_INFINITY));
    return Number.isFinite(since) ? (performance.now() - since) / 1_000 : 0;
  }

  /**
   * Runs the work when it is the organization's turn; immediately, before this returns, if a place
   * is free. For work whose caller bounds its amount: it is never refused. Rejects with the reason of
   * a signal that aborts before the work has started, and with what the work throws.
   */
  async run<T>(organizationId: string, work: Work<T>, { signal }: RunOptions = {}): Promise<T> {
    await this.#turn(organizationId, { kind: 'waiting', signal, isRefusable: false });
    return this.#runInPlace(organizationId, work, signal);
  }

  /** As `run`, but refuses the work where too much is waiting. */
  async tryRun<T>(
    organizationId: string,
    work: Work<T>,
    { signal }: RunOptions = {},
  ): Promise<T | QueueFull> {
    const full = await this.#turn(organizationId, { kind: 'waiting', signal, isRefusable: true });
    return full ?? this.#runInPlace(organizationId, work, signal);
  }

  async #runInPlace<T>(
    organizationId: string,
    work: Work<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const lane = this.#laneOf(organizationId);
    let isSuspended = false;
    let isOver = false;
    /** Of work that was suspended. */
    let ended: AbortController | undefined;
    const place: Place = {
      suspend: () => {
        if (isSuspended || isOver) return;
        ended ??= new AbortController();
        isSuspended = true;
        this.#count('suspended', 1);
        this.#release(lane);
      },
      resume: async () => {
        if (!isSuspended || !ended) return;
        const leaving = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
        leaving.throwIfAborted();
        const turn = { kind: 'resuming', signal: leaving, isRefusable: false } as const;
        await this.#turn(organizationId, turn, () => {
          isSuspended = false;
          this.#count('suspended', -1);
        });
      },
    };
    try {
      return await work(place);
    } finally {
      isOver = true;
      ended?.abort(new Error('The work has ended.'));
      lane.started -= 1;
      this.#started -= 1;
      if (isSuspended) {
        this.#count('suspended', -1);
        this.#dispatch();
      } else this.#release(lane);
    }
  }

  #laneOf(organizationId: string): Lane {
    const known = this.#lanes.get(organizationId);
    if (known) return known;
    const lane: Lane = { round: this.#round, running: 0, started: 0, resuming: [], waiting: [] };
    this.#lanes.set(organizationId, lane);
    return lane;
  }

  /**
   * Resolves to null once a place is taken, or to the refusal; `onResume` is called synchronously.
   */
  #turn(
    id: string,
    { kind, signal, isRefusable }: Turn,
    onResume?: () => void,
  ): Promise<QueueFull | null> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<QueueFull | null>();
    const lane = this.#laneOf(id);
    const line = lane[kind];
    const leave = () => {
      line.splice(line.indexOf(entry), 1);
      this.#left(id, lane);
      if (kind === 'waiting') this.#waiting -= 1;
    };
    const abort = () => {
      leave();
      reject(signal?.reason);
    };
    const start = () => {
      signal?.removeEventListener('abort', abort);
      if (kind === 'waiting') {
        this.#waiting -= 1;
        this.#started += 1;
        lane.started += 1;
      }
      onResume?.();
      resolve(null);
    };
    const entry: Waiting = { since: performance.now(), start };
    if (!isWaiting(lane)) lane.round = Math.max(lane.round, this.#round);
    line.push(entry);
    if (kind === 'waiting') this.#waiting += 1;
    this.#line.add(id);
    this.#count('waiting', 1);
    backlogged.add(this);
    this.#dispatch();
    if (!line.includes(entry)) return promise;
    const full = isRefusable ? this.#fullFor(lane) : null;
    if (full) {
      leave();
      resolve(full);
    } else signal?.addEventListener('abort', abort, { once: true });
    return promise;
  }

  /** `more`: additional work beside all that is waiting. The refusal is counted. */
  #fullFor({ waiting }: Lane, more = 0): QueueFull | null {
    const { waitingMax, waitingPerOrganizationMax } = this.limits;
    const waited = (performance.now() - (waiting[0]?.since ?? performance.now())) / 1_000;
    const retryAfter = Math.min(Math.max(1, Math.ceil(waited)), RETRY_SECONDS_MAX);
    const isOwnFull = waiting.length + more > waitingPerOrganizationMax;
    if (!isOwnFull && this.#waiting + more <= waitingMax) return null;
    refused.add({ queue: this.name, limit: isOwnFull ? 'organization' : 'total' });
    const kind = isOwnFull ? OrganizationQueueFull : ServerQueueFull;
    return kind({ retryAfterSeconds: retryAfter });
  }

  /** One entry of the lane stops waiting. */
  #left(id: string, lane: Lane): void {
    this.#count('waiting', -1);
    if (!isWaiting(lane)) this.#line.delete(id);
    if (this.#line.size === 0) backlogged.delete(this);
  }

  #release(lane: Lane): void {
    lane.running -= 1;
    this.#running -= 1;
    this.#count('running', -1);
    this.#dispatch();
  }

  /** Assigns free places. */
  #dispatch(): void {
    while (this.#running < this.limits.concurrency) {
      const served = this.#nextInLine();
      if (!served) return;
      const { id, lane } = served;
      this.#beginRound(Math.max(this.#round, lane.round));
      const next = lane.resuming.shift() ?? lane.waiting.shift();
      if (!next) return;
      lane.round = this.#round + 1;
      this.#line.delete(id);
      this.#line.add(id);
      lane.running += 1;
      this.#running += 1;
      this.#count('running', 1);
      this.#left(id, lane);
      next.start();
    }
  }

  #nextInLine(): { readonly id: string; readonly lane: Lane } | null {
    let best: { readonly id: string; readonly lane: Lane } | null = null;
    for (const id of this.#line) {
      const lane = this.#laneOf(id);
      if (this.#mayStart(lane) && (!best || lane.round < best.lane.round)) best = { id, lane };
    }
    return best;
  }

  /** An organization without work is remembered until the round in which it would be served next. */
  #beginRound(round: number): void {
    if (round === this.#round) return;
    this.#round = round;
    for (const [id, lane] of this.#lanes) {
      if (lane.round <= round && lane.started === 0 && !isWaiting(lane)) this.#lanes.delete(id);
    }
  }

  #mayStart({ running, started, resuming }: Lane): boolean {
    const { concurrencyPerOrganization, startedMax, startedPerOrganizationMax } = this.limits;
    if (running >= concurrencyPerOrganization) return false;
    if (resuming.length > 0) return true;
    return started < startedPerOrganizationMax && this.#started < startedMax;
  }

  #count(state: string, more: number): void {
    work.add({ queue: this.name, state }, more);
  }
}

const isWaiting = ({ resuming, waiting }: Lane) => resuming.length + waiting.length > 0;
