import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { testEventStore } from '@tallyhand/test-kit/backends';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '../crypto/ids.ts';
import type { Log } from '../log.ts';
import { type EventLog, openEventLog, type StoredEvent } from './event-log.ts';
import { followAll } from './follow-all.ts';
import { comparePositions, type Position, START } from './position.ts';

const WATCHED_EVERY_MS = 4_000;

let store: Awaited<ReturnType<typeof testEventStore>>;
let eventLog: EventLog;
beforeAll(async () => {
  store = await testEventStore();
  eventLog = openEventLog(store.url);
});
afterAll(async () => {
  await eventLog.close();
  await store[Symbol.asyncDispose]();
});
afterEach(() => {
  vi.useRealTimers();
});

const warned: string[] = [];
const log: Log = {
  info() {},
  error() {},
  warn: (message, fields) => warned.push(String(fields?.error ?? message)),
};

/** Appends events to a new stream, and returns their ids. */
async function happen(count: number, into: EventLog = eventLog): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  const envelope = {
    schemaVersion: 1,
    organizationId: null,
    actor: { kind: 'worker' as const },
    correlationId: randomUUID(),
    causationId: null,
    commandId: newId(),
    recordedAt: new Date().toISOString(),
  };
  const events = ids.map((id) => ({ id, type: 'Happened', data: {}, envelope }));
  await into.append(`test-${randomUUID()}`, events, null);
  return ids;
}

/** A follower that keeps its checkpoint as a projection does: together with what it has done. */
function follower(
  options: {
    eventLog?: EventLog;
    from?: Position;
    gatherMs?: number;
    onBatch?: (events: readonly StoredEvent[]) => unknown;
  } = {},
) {
  let checkpoint = options.from ?? START;
  const handled: string[] = [];
  const starts: Position[] = [];
  const following = followAll({
    eventLog: options.eventLog ?? eventLog,
    log,
    name: 'test',
    batchMax: 7,
    gatherMs: options.gatherMs ?? 0,
    async from() {
      starts.push(checkpoint);
      return checkpoint;
    },
    async handle(events) {
      expect(events.length).toBeLessThanOrEqual(7);
      await options.onBatch?.(events);
      handled.push(...events.map(({ id }) => id));
      checkpoint = events.at(-1)?.position ?? checkpoint;
    },
  });
  return { handled, starts, [Symbol.asyncDispose]: () => following[Symbol.asyncDispose]() };
}

const headOf = async () => (await eventLog.head()) ?? START;

describe('the head of the event store', () => {
  it('is the position of the newest event', async () => {
    await happen(3);
    const before = await headOf();
    await happen(1);
    expect(comparePositions(before, await headOf())).toBe(-1);
  });
});

describe('a follower', () => {
  it('sees earlier and later events, in order, each once', async () => {
    const from = await headOf();
    const before = await happen(50);
    await using one = follower({ from });
    await vi.waitFor(() => expect(one.handled).toEqual(before));
    const later = [...(await happen(30)), ...(await happen(1))];
    await vi.waitFor(() => expect(one.handled).toEqual([...before, ...later]));
    expect(one.starts).toHaveLength(1);
  });

  it('lets events gather after a batch that was not full, and ends without waiting for more', async () => {
    const from = await headOf();
    await using witness = follower({ from });
    await using one = follower({ from, gatherMs: 600_000 });
    const first = await happen(1);
    await vi.waitFor(() => expect(one.handled).toEqual(first));
    const later = await happen(3);
    await vi.waitFor(() => expect(witness.handled).toEqual([...first, ...later]));
    expect(one.handled).toEqual(first);
  });

  it('rests after a batch as long as it took', async () => {
    const from = await headOf();
    const [began, ended]: [number[], number[]] = [[], []];
    await using one = follower({
      from,
      async onBatch() {
        began.push(performance.now());
        await happen(1);
        await pause(20);
        ended.push(performance.now());
      },
    });
    await happen(1);
    await vi.waitFor(() => expect(one.handled.length).toBeGreaterThan(3));
    for (const [index, end] of ended.slice(0, 3).entries()) {
      const tookMs = end - (began[index] ?? 0);
      // A timer may be a millisecond early.
      expect((began[index + 1] ?? 0) - end).toBeGreaterThanOrEqual(Math.min(tookMs, 25) - 2);
    }
  });

  it('leaves nothing of a batch behind, however many there are', async () => {
    using added = vi.spyOn(EventTarget.prototype, 'addEventListener');
    using removed = vi.spyOn(EventTarget.prototype, 'removeEventListener');
    const ofAborts = ({ mock }: typeof added | typeof removed) =>
      mock.calls.filter(([type]) => type === 'abort').length;
    await using one = follower({ from: await headOf(), onBatch: () => happen(1) });
    await happen(1);
    await vi.waitFor(() => expect(one.handled.length).toBeGreaterThan(40));
    expect(ofAborts(added) - ofAborts(removed)).toBeLessThan(20);
  });

  it('resumes from its checkpoint after a fault of the handler, and misses nothing', async () => {
    const from = await headOf();
    const ids = await happen(40);
    let faults = 0;
    await using one = follower({
      from,
      onBatch(events) {
        if (faults < 3 && events.some(({ id }) => id === ids[20])) {
          faults += 1;
          throw new Error('the handler failed');
        }
      },
    });
    await vi.waitFor(() => expect(one.handled).toEqual(ids));
    expect(one.starts).toHaveLength(4);
    expect(one.starts.at(-1)).not.toEqual(from);
  });

  it('handles an event once that is delivered three times', async () => {
    const from = await headOf();
    const thrice = withSubscriptions(openEventLog(store.url), (subscription) => {
      const on = subscription.on.bind(subscription);
      return Object.assign(subscription, {
        on: (name: string, listener: (value: unknown) => void) =>
          on(name as 'data', (value) => {
            for (const _ of name === 'data' ? [1, 2, 3] : [1]) listener(value);
          }),
      });
    });
    const before = await happen(20);
    await using one = follower({ eventLog: thrice, from });
    await vi.waitFor(() => expect(one.handled).toEqual(before));
    const later = await happen(3);
    await vi.waitFor(() => expect(one.handled).toEqual([...before, ...later]));
    expect(one.starts).toHaveLength(1);
    await thrice.close();
  });

  it('resubscribes when its subscription falls silent', async () => {
    const from = await headOf();
    const silentOnce = withFirstSubscriptionSilent(openEventLog(store.url));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const looked = looksAt(silentOnce);
    await using one = follower({ eventLog: looked.log, from });
    const ids = await happen(5);
    await vi.waitFor(() => {
      looked.look();
      expect(one.handled).toEqual(ids);
    });
    expect(warned).toContain('The subscription fell silent');
    await silentOnce.close();
  });

  it('resubscribes when the event store does not answer', async () => {
    const from = await headOf();
    const ids = await happen(5);
    let asked = 0;
    const muteOnce: EventLog = {
      ...eventLog,
      head() {
        asked += 1;
        return asked === 1 ? new Promise(() => {}) : eventLog.head();
      },
    };
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await using one = follower({ eventLog: muteOnce, from });
    await vi.waitFor(() => expect(one.handled).toEqual(ids));
    await vi.waitFor(() => {
      vi.advanceTimersByTime(WATCHED_EVERY_MS);
      expect(one.starts).toHaveLength(2);
    });
    expect(warned).toContain('The event store does not answer');
    expect(one.handled).toEqual(ids);
  });

  it('is reported but not interrupted when a batch takes long', async () => {
    const from = await headOf();
    const finish = Promise.withResolvers<void>();
    const looked = looksAt(eventLog);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await using one = follower({ eventLog: looked.log, from, onBatch: () => finish.promise });
    const ids = await happen(5);
    await vi.waitFor(() => {
      looked.look();
      expect(warned).toContain('test: no progress, though there are newer events');
    });
    finish.resolve();
    await vi.waitFor(() => expect(one.handled).toEqual(ids));
    expect(one.starts).toHaveLength(1);
  });

  it('is not considered silent while there is nothing new', async () => {
    const from = await headOf();
    const ids = await happen(5);
    const looked = looksAt(eventLog);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await using one = follower({ eventLog: looked.log, from });
    await vi.waitFor(() => expect(one.handled).toEqual(ids));
    await vi.waitFor(() => {
      looked.look();
      expect(looked.count()).toBeGreaterThan(5);
    });
    expect(one.starts).toHaveLength(1);
  });

  it('stops while it waits', async () => {
    const one = follower({ from: await headOf() });
    await vi.waitFor(() => expect(one.starts).toHaveLength(1));
    await one[Symbol.asyncDispose]();
    await happen(1);
    expect(one.handled).toEqual([]);
  });
});

describe('followers of one process', () => {
  /** An event log with its subscriptions. */
  function observed() {
    const subscriptions: Subscription[] = [];
    const opened = withSubscriptions(openEventLog(store.url), (one) => {
      vi.spyOn(one, 'unsubscribe');
      subscriptions.push(one);
      return one;
    });
    return { ...looksAt(opened), close: () => opened.close(), subscriptions };
  }

  /** Two followers, each with an event log of its own, once they share a subscription. */
  async function together(onBatch?: () => unknown) {
    await happen(1);
    const from = await headOf();
    const logs = [observed(), observed()] as const;
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const first = follower({ eventLog: logs[0].log, from });
    const second = follower({ eventLog: logs[1].log, from, ...(onBatch ? { onBatch } : {}) });
    const all = () => logs.flatMap(({ subscriptions }) => subscriptions);
    const open = () => all().filter((one) => vi.mocked(one.unsubscribe).mock.calls.length === 0);
    await vi.waitFor(() => {
      if (logs.every(({ isAnswered }) => isAnswered())) vi.advanceTimersByTime(WATCHED_EVERY_MS);
      expect([all().length, open().length]).toEqual([2, 1]);
    });
    vi.useRealTimers();
    const isFirst = open()[0] === logs[0].subscriptions[0];
    const [owner, guest] = isFirst ? [first, second] : [second, first];
    const close = async () => {
      await Promise.all([first, second].map((each) => each[Symbol.asyncDispose]()));
      await Promise.all(logs.map((log) => log.close()));
    };
    return { first, second, owner, guest, open: open()[0], all, [Symbol.asyncDispose]: close };
  }

  it('share a subscription once they have caught up', async () => {
    await using both = await together();
    const ids = [...(await happen(20)), ...(await happen(1))];
    await vi.waitFor(() => {
      expect(both.first.handled).toEqual(ids);
      expect(both.second.handled).toEqual(ids);
    });
    expect(both.all()).toHaveLength(2);
  });

  it('go on alone when the one that subscribed ends', async () => {
    await using both = await together();
    const before = await happen(3);
    await vi.waitFor(() => expect(both.guest.handled).toEqual(before));
    await both.owner[Symbol.asyncDispose]();
    const later = await happen(3);
    await vi.waitFor(() => expect(both.guest.handled).toEqual([...before, ...later]));
    expect(both.guest.starts).toHaveLength(1);
  });

  it('do not wait for one that has more to do than it can take', async () => {
    const release = Promise.withResolvers<void>();
    await using both = await together(() => release.promise);
    const ids: string[] = [];
    for (let round = 0; round < 5; round += 1) ids.push(...(await happen(500)));
    await vi.waitFor(() => expect(both.first.handled).toEqual(ids));
    const later = await happen(1);
    await vi.waitFor(() => expect(both.first.handled).toEqual([...ids, ...later]));
    expect(both.second.handled).toEqual([]);
    release.resolve();
    await vi.waitFor(() => expect(both.second.handled).toEqual([...ids, ...later]));
    expect(both.second.starts).toHaveLength(1);
  });

  it('all resume when it fails', async () => {
    await using both = await together();
    const before = await happen(3);
    await vi.waitFor(() => expect(both.guest.handled).toEqual(before));
    both.open?.destroy(new Error('the connection broke'));
    const later = await happen(3);
    await vi.waitFor(() => {
      expect(both.first.handled).toEqual([...before, ...later]);
      expect(both.second.handled).toEqual([...before, ...later]);
    });
    expect([both.first.starts.length, both.second.starts.length]).toEqual([2, 2]);
  });
});

/** Advances the clock by one check interval as soon as the last check was answered. */
function looksAt(real: EventLog) {
  let asked = 0;
  let answered = 0;
  const log: EventLog = {
    ...real,
    async head() {
      asked += 1;
      const head = await real.head();
      answered += 1;
      return head;
    },
  };
  return {
    log,
    count: () => answered,
    isAnswered: () => asked === answered,
    look() {
      if (asked === answered) vi.advanceTimersByTime(WATCHED_EVERY_MS);
    },
  };
}

type Subscription = ReturnType<EventLog['client']['subscribeToAll']>;

/** An event log whose subscriptions are changed when they start. */
function withSubscriptions(real: EventLog, change: (one: Subscription) => Subscription): EventLog {
  const subscribeToAll: EventLog['client']['subscribeToAll'] = (...options) =>
    change(real.client.subscribeToAll(...options));
  const client = new Proxy(real.client, {
    get: (target, name) => {
      if (name === 'subscribeToAll') return subscribeToAll;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...real, client };
}

/** A real subscription from which nothing ever comes, as from a connection that was cut without a word. */
function withFirstSubscriptionSilent(real: EventLog): EventLog {
  let isFirst = true;
  return withSubscriptions(real, (subscription) => {
    if (isFirst) subscription.pause();
    isFirst = false;
    return subscription;
  });
}
