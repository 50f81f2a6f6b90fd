import { setTimeout as sleep } from 'node:timers/promises';
import { errorFields, type Log } from '../log.ts';
import { counter } from '../metrics/counter.ts';
import {
  type EventLog,
  type StoredEvent,
  type UnreadableEvent,
  unreadableOf,
} from './event-log.ts';
import { comparePositions, type Position } from './position.ts';
import { type Receiver, type Resolved, Subscription } from './subscription.ts';

const BUFFERED_MAX = 2000;
const RESTART_FIRST_MS = 100;
const RESTART_MAX_MS = 5_000;
const WATCHDOG_MS = 4_000;
/** With longer rests readers wait noticeably, for little: batches are large by then. */
const REST_MS_MAX = 25;

const restarts = counter({
  name: 'tallyhand_subscription_restarts_total',
  help: 'Subscriptions to all events that were reopened after a fault or a silence.',
});
const stalls = counter({
  name: 'tallyhand_subscription_stalls_total',
  help: 'Looks, one in 4 s, that found newer events and one that is at work without an end.',
});

export type Follower = AsyncDisposable;

export type FollowOptions = {
  readonly eventLog: EventLog;
  readonly log: Log;
  readonly name: string;
  /** The position to resume from: requested at the start and after each fault. */
  readonly from: () => Promise<Position>;
  /** Handles events in the order of the store; when it throws, they come again. */
  readonly handle: (events: readonly StoredEvent[]) => Promise<void>;
  /** Receives unreadable events, before the events after them are handled. */
  readonly unreadable?: {
    readonly knowsType: (type: string) => boolean;
    readonly note: (events: readonly UnreadableEvent[]) => Promise<void>;
  };
  readonly batchMax: number;
  /**
   * After a batch that was not full the next one begins no sooner than this after it did, and after
   * a rest as long as the batch took, within a bound: a batch costs about the same whether it holds
   * one event or ten, and takes longest where the machine is busy.
   */
  readonly gatherMs: number;
};

/** Follows all events, catching up and then live, until it is disposed of; restarts after faults. */
export function followAll(options: FollowOptions): Follower {
  const stop = new AbortController();
  for (const count of [restarts, stalls]) count.add({ subscription: options.name }, 0);
  const done = run(options, stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}

async function run(options: FollowOptions, stop: AbortSignal): Promise<void> {
  let faults = 0;
  while (!stop.aborted) {
    try {
      await followOnce(options, stop, () => {
        faults = 0;
      });
    } catch (error) {
      if (stop.aborted) return;
      faults += 1;
      restarts.add({ subscription: options.name });
      options.log.warn(`${options.name}: resubscribing after a fault`, errorFields(error));
      await pause(Math.min(RESTART_FIRST_MS * 2 ** (faults - 1), RESTART_MAX_MS), stop);
    }
  }
}

async function followOnce(options: FollowOptions, stop: AbortSignal, onProgress: () => void) {
  const { batchMax, gatherMs } = options;
  const start = await options.from();
  let seen = start;
  let isHandling = false;
  await using inbox = new Inbox(options, start, stop);
  const watchdog = watch(options, inbox, {
    seen: () => seen,
    isBusy: () => isHandling || inbox.isFilled,
  });
  try {
    while (!stop.aborted) {
      const batch = await inbox.next(batchMax);
      const last = batch.at(-1);
      if (!last) continue;
      isHandling = true;
      const began = performance.now();
      await handleBatch(batch, options);
      const tookMs = performance.now() - began;
      seen = last.position;
      isHandling = false;
      onProgress();
      const restMs = Math.max(gatherMs - tookMs, Math.min(tookMs, REST_MS_MAX));
      if (batch.length < batchMax) await pause(restMs, stop);
    }
  } finally {
    clearInterval(watchdog);
  }
}

/** An event of a type that is not known can be both. */
type Received = {
  readonly position: Position;
  readonly event: StoredEvent | null;
  readonly unreadable: UnreadableEvent | null;
};

/** The events that wait for a follower. */
class Inbox implements Receiver, AsyncDisposable {
  readonly eventLog: EventLog;
  readonly #options: FollowOptions;
  readonly #stop: AbortSignal;
  readonly #waiting: Received[] = [];
  #subscription: Subscription | null;
  /** Of the newest event that came. */
  #position: Position;
  #fault: Error | undefined;
  #wake = () => {};

  constructor(options: FollowOptions, from: Position, stop: AbortSignal) {
    this.eventLog = options.eventLog;
    this.#options = options;
    this.#position = from;
    this.#stop = stop;
    this.#subscription = new Subscription(this, from);
    stop.addEventListener('abort', this.#onStop);
  }

  get isFilled(): boolean {
    return this.#waiting.length > 0;
  }

  /** At most `max` events; none if it was stopped. Rejects after a fault. */
  async next(max: number): Promise<Received[]> {
    if (this.#waiting.length === 0 && !this.#fault) {
      this.#subscription ??= new Subscription(this, this.#position);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (this.#stop.aborted) resolve();
      });
    }
    if (this.#fault) throw this.#fault;
    const batch = this.#waiting.splice(0, max);
    if (this.#subscription?.isPaused) this.#subscription.resume();
    return batch;
  }

  take(resolved: Resolved, event: StoredEvent | null, position: Position): void {
    // Repeated events, as after a reconnection, have earlier positions.
    if (comparePositions(position, this.#position) <= 0) return;
    this.#position = position;
    const received = receivedOf(resolved, event, this.#options);
    if (!received) return;
    this.#waiting.push(received);
    if (this.#waiting.length >= BUFFERED_MAX) this.#subscription?.pause(this);
    this.#wake();
  }

  fail(error: Error): void {
    this.#fault ??= error;
    // It may be the subscription's own.
    this.#subscription?.unshare();
    this.#wake();
  }

  leave(): void {
    this.#subscription = null;
    this.#wake();
  }

  /** From now on gets new events with the others, if it has all events so far. */
  share(head: Position | null): void {
    const hasAll = head !== null && comparePositions(this.#position, head) >= 0;
    if (hasAll && !this.#fault) this.#subscription = this.#subscription?.share(this) ?? null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.removeEventListener('abort', this.#onStop);
    const subscription = this.#subscription;
    // A look at the head may still be under way.
    this.#subscription = null;
    await subscription?.end(this);
  }

  readonly #onStop = () => this.#wake();
}

/** Null for events of others. */
function receivedOf(
  resolved: Resolved,
  event: StoredEvent | null,
  { unreadable: wanted }: FollowOptions,
): Received | null {
  const isFine = event !== null && (!wanted || wanted.knowsType(event.type));
  const unreadable = isFine || !wanted ? null : unreadableOf(resolved, wanted.knowsType);
  const position = event?.position ?? unreadable?.position;
  return position ? { position, event, unreadable } : null;
}

async function handleBatch(batch: readonly Received[], { handle, unreadable }: FollowOptions) {
  const strange = batch.flatMap((each) => each.unreadable ?? []);
  if (strange.length > 0) await unreadable?.note(strange);
  const events = batch.flatMap(({ event }) => event ?? []);
  if (events.length > 0) await handle(events);
}

/**
 * Detects a subscription that died silently: the store's head is ahead twice in a row, or the
 * request for it is still open at the next check. A hanging handler is reported, not ended.
 */
function watch(
  { eventLog, log, name }: FollowOptions,
  inbox: Inbox,
  { seen, isBusy }: { readonly seen: () => Position; readonly isBusy: () => boolean },
): NodeJS.Timeout {
  let before: Position | null = null;
  let isLooking = false;
  const look = async () => {
    if (isLooking) throw new Error('The event store does not answer');
    isLooking = true;
    const at = seen();
    const head = await eventLog.head();
    isLooking = false;
    inbox.share(head);
    const isBehind = head !== null && comparePositions(head, at) > 0;
    if (isBehind && before && comparePositions(before, at) === 0) {
      if (!isBusy()) inbox.fail(new Error('The subscription fell silent'));
      else {
        stalls.add({ subscription: name });
        log.warn(`${name}: no progress, though there are newer events`);
      }
    }
    before = isBehind ? at : null;
  };
  return setInterval(() => look().catch((error) => inbox.fail(error)), WATCHDOG_MS);
}

const pause = (ms: number, stop: AbortSignal) =>
  sleep(ms, undefined, { signal: stop }).catch(() => {});
