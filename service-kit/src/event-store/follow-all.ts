import { setTimeout as sleep } from 'node:timers/promises';
import { excludeSystemEvents } from '@eventstore/db-client';
import { errorFields, type Log } from '../log.ts';
import { counter } from '../metrics/counter.ts';
import {
  type EventLog,
  type StoredEvent,
  toStored,
  type UnreadableEvent,
  unreadableOf,
} from './event-log.ts';
import { comparePositions, type Position, START } from './position.ts';

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
  const { eventLog, batchMax, gatherMs } = options;
  const start = await options.from();
  let seen = start;
  let received = start;
  const subscription = eventLog.client.subscribeToAll({
    fromPosition: comparePositions(start, START) === 0 ? 'start' : start,
    filter: excludeSystemEvents(),
  });
  const buffer: Received[] = [];
  let isHandling = false;
  let fault: Error | undefined;
  let wake = () => {};
  const fail = (error: Error) => {
    fault ??= error;
    wake();
  };
  subscription.on('data', (resolved) => {
    const event = receivedOf(resolved as Parameters<typeof toStored>[0], options);
    // Repeated events, as after a reconnection, have earlier positions.
    if (!event || comparePositions(event.position, received) <= 0) return;
    received = event.position;
    buffer.push(event);
    if (buffer.length >= BUFFERED_MAX) subscription.pause();
    wake();
  });
  subscription.on('error', fail);
  subscription.on('end', () => fail(new Error('The subscription ended')));
  const watchdog = watch(
    options,
    () => seen,
    () => isHandling || buffer.length > 0,
    fail,
  );
  const onStop = () => wake();
  stop.addEventListener('abort', onStop);
  try {
    while (!stop.aborted) {
      if (buffer.length === 0 && !fault) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (buffer.length > 0 || fault || stop.aborted) resolve();
        });
      }
      if (fault) throw fault;
      const batch = buffer.splice(0, batchMax);
      if (subscription.isPaused()) subscription.resume();
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
    stop.removeEventListener('abort', onStop);
    subscription.on('error', () => {});
    await subscription.unsubscribe().catch(() => {});
  }
}

/** An event of a type that is not known can be both. */
type Received = {
  readonly position: Position;
  readonly event: StoredEvent | null;
  readonly unreadable: UnreadableEvent | null;
};

/** Null for the server's own events, and for others that are filtered out. */
function receivedOf(
  resolved: Parameters<typeof toStored>[0],
  { unreadable: wanted }: FollowOptions,
): Received | null {
  const event = toStored(resolved);
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
  seen: () => Position,
  isBusy: () => boolean,
  fail: (error: Error) => void,
): NodeJS.Timeout {
  let before: Position | null = null;
  let isLooking = false;
  const look = async () => {
    if (isLooking) throw new Error('The event store does not answer');
    isLooking = true;
    const at = seen();
    const head = await eventLog.head();
    isLooking = false;
    const isBehind = head !== null && comparePositions(head, at) > 0;
    if (isBehind && before && comparePositions(before, at) === 0) {
      if (!isBusy()) fail(new Error('The subscription fell silent'));
      else {
        stalls.add({ subscription: name });
        log.warn(`${name}: no progress, though there are newer events`);
      }
    }
    before = isBehind ? at : null;
  };
  return setInterval(() => look().catch(fail), WATCHDOG_MS);
}

const pause = (ms: number, stop: AbortSignal) =>
  sleep(ms, undefined, { signal: stop }).catch(() => {});
