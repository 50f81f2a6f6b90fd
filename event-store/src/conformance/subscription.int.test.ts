import { randomUUID } from 'node:crypto';
import {
  type AllStreamSubscription,
  type EventStoreDBClient,
  eventTypeFilter,
  excludeSystemEvents,
  type Position,
  type ResolvedEvent,
  type StreamSubscription,
  streamNameFilter,
} from '@eventstore/db-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Clients, newStream, numbered, numberOf } from './subject.ts';
import { describeSubjects } from './subjects.ts';

/** Reads on until it has as many events as wanted; the test's own timeout is the limit. */
async function take(
  subscription: StreamSubscription | AllStreamSubscription,
  count: number,
): Promise<ResolvedEvent[]> {
  const events: ResolvedEvent[] = [];
  for await (const event of subscription as AsyncIterable<ResolvedEvent>) {
    events.push(event);
    if (events.length === count) break;
  }
  await subscription.unsubscribe();
  return events;
}

function caughtUp(subscription: StreamSubscription | AllStreamSubscription): Promise<void> {
  return new Promise((resolve, reject) => {
    subscription.once('caughtUp', () => resolve()).once('error', reject);
  });
}

describeSubjects('subscribing to', (subject) => {
  let clients: Clients;
  let client: EventStoreDBClient;
  beforeAll(async () => {
    clients = new Clients(await subject.connect());
    client = clients.client();
  });
  afterAll(() => clients?.[Symbol.asyncDispose]());

  it('continues from stored to new events, without a gap', async () => {
    const stream = newStream();
    await client.appendToStream(stream, numbered(0, 500));
    const taken = take(client.subscribeToStream(stream), 700);
    for (let n = 500; n < 700; n += 1) await client.appendToStream(stream, numbered(n, 1));
    expect((await taken).map(numberOf)).toEqual(Array.from({ length: 700 }, (_, n) => n));
  });

  it('begins after the revision it is given', async () => {
    const stream = newStream();
    await client.appendToStream(stream, numbered(0, 5));
    const taken = take(client.subscribeToStream(stream, { fromRevision: 2n }), 2);
    expect((await taken).map(numberOf)).toEqual([3, 4]);
  });

  it('returns only new events from the end', async () => {
    const stream = newStream();
    await client.appendToStream(stream, numbered(0, 5));
    const subscription = client.subscribeToStream(stream, { fromRevision: 'end' });
    const taken = take(subscription, 1);
    await caughtUp(subscription);
    await client.appendToStream(stream, numbered(5, 1));
    expect((await taken).map(numberOf)).toEqual([5]);
  });

  it('waits for a stream that does not exist yet', async () => {
    const stream = newStream();
    const subscription = client.subscribeToStream(stream);
    const taken = take(subscription, 2);
    await caughtUp(subscription);
    await client.appendToStream(stream, numbered(0, 2));
    expect((await taken).map(numberOf)).toEqual([0, 1]);
  });

  it('resumes $all after a position', async () => {
    const stream = newStream();
    const { position } = await client.appendToStream(stream, numbered(0, 1));
    if (position === undefined) throw new Error('no position');
    await client.appendToStream(stream, numbered(1, 2));
    const filter = streamNameFilter({ prefixes: [stream] });
    const taken = take(client.subscribeToAll({ fromPosition: position, filter }), 2);
    expect((await taken).map(numberOf)).toEqual([1, 2]);
  });

  it('filters $all by stream name and by type, prefix and regular expression', async () => {
    const mark = randomUUID().replaceAll('-', '');
    const [wanted, other] = [`wanted${mark}-1`, `other${mark}-1`];
    await client.appendToStream(wanted, numbered(0, 1, `A${mark}`));
    await client.appendToStream(other, numbered(1, 1, `B${mark}`));
    await client.appendToStream(wanted, numbered(2, 1, `B${mark}`));
    const filters = [
      [streamNameFilter({ prefixes: ['nothing', `wanted${mark}`] }), [0, 2]],
      [streamNameFilter({ regex: `^[ow]t?.*${mark}-1$` }), [0, 1, 2]],
      [eventTypeFilter({ prefixes: [`B${mark}`] }), [1, 2]],
      [eventTypeFilter({ regex: `^[AC]${mark}$` }), [0]],
    ] as const;
    for (const [filter, expected] of filters) {
      const taken = take(client.subscribeToAll({ filter }), expected.length);
      expect((await taken).map(numberOf)).toEqual(expected);
    }
  });

  it('reports progress to a filtered subscriber', async () => {
    const stream = newStream();
    const { position } = await client.appendToStream(stream, numbered(0, 200));
    if (position === undefined) throw new Error('no position');
    const reached = Promise.withResolvers<Position>();
    const filter = eventTypeFilter({
      prefixes: [`Nothing${randomUUID()}`],
      maxSearchWindow: 10,
      checkpointInterval: 2,
      checkpointReached: async (_subscription, checkpoint) => {
        if (checkpoint.commit >= position.commit - 100n) reached.resolve(checkpoint);
      },
    });
    const subscription = client.subscribeToAll({ filter });
    subscription.on('error', reached.reject).on('data', () => {});
    expect(typeof (await reached.promise).commit).toBe('bigint');
    await subscription.unsubscribe();
  });

  it('serves several subscribers, of which one is slow', async () => {
    const stream = newStream();
    const filter = excludeSystemEvents();
    const slow = client.subscribeToAll({ filter });
    const quick = Array.from({ length: 3 }, () => take(client.subscribeToStream(stream), 1_000));
    for (let n = 0; n < 1_000; n += 100) await client.appendToStream(stream, numbered(n, 100));
    const expected = Array.from({ length: 1_000 }, (_, n) => n);
    for (const taken of quick) expect((await taken).map(numberOf)).toEqual(expected);
    const late: number[] = [];
    for await (const event of slow) {
      if (event.event?.streamId === stream) late.push(numberOf(event));
      if (late.length === 1_000) break;
    }
    await slow.unsubscribe();
    expect(late).toEqual(expected);
  });
});
