import { type EventStoreDBClient, StreamNotFoundError } from '@eventstore/db-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Clients, newStream, numbered, numberOf, numbersOf } from './subject.ts';
import { describeSubjects } from './subjects.ts';

describeSubjects('reading from', (subject) => {
  let clients: Clients;
  let client: EventStoreDBClient;
  const stream = newStream();
  beforeAll(async () => {
    clients = new Clients(await subject.connect());
    client = clients.client();
    await client.appendToStream(stream, numbered(0, 10));
  });
  afterAll(() => clients?.[Symbol.asyncDispose]());

  it.each([
    ['forwards', 'start', 3, [0, 1, 2]],
    ['forwards', 7n, undefined, [7, 8, 9]],
    ['forwards', 10n, undefined, []],
    ['forwards', 'end', undefined, []],
    ['backwards', 'end', 3, [9, 8, 7]],
    ['backwards', 2n, undefined, [2, 1, 0]],
    ['backwards', 99n, 1, [9]],
    ['backwards', 'start', undefined, [0]],
  ] as const)('goes %s from %s', async (direction, fromRevision, maxCount, numbers) => {
    const options = { direction, fromRevision, ...(maxCount === undefined ? {} : { maxCount }) };
    expect(await numbersOf(client.readStream(stream, options))).toEqual(numbers);
  });

  it('reports when the stream does not exist', async () => {
    const missing = newStream();
    const error = await numbersOf(client.readStream(missing)).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StreamNotFoundError);
    expect(error.streamName).toBe(missing);
  });

  it('keeps the order of 10,000 events both ways', async () => {
    const large = newStream();
    for (let n = 0; n < 10_000; n += 1_000) {
      const expectedRevision = n === 0 ? ('no_stream' as const) : BigInt(n - 1);
      await client.appendToStream(large, numbered(n, 1_000), { expectedRevision });
    }
    const numbers = Array.from({ length: 10_000 }, (_, n) => n);
    expect(await numbersOf(client.readStream(large))).toEqual(numbers);
    const backwards = client.readStream(large, { direction: 'backwards', fromRevision: 'end' });
    expect(await numbersOf(backwards)).toEqual(numbers.reverse());
  });

  it('reads $all in the order of the appends, both ways, from a position', async () => {
    const [a, b] = [newStream(), newStream()];
    const first = await client.appendToStream(a, numbered(0, 2));
    await client.appendToStream(b, numbered(2, 2));
    const last = await client.appendToStream(a, numbered(4, 2));
    if (first.position === undefined || last.position === undefined) throw new Error('no position');
    expect(last.position.commit).toBeGreaterThan(first.position.commit);
    const ours = new Set([a, b]);
    const seen = async (events: ReturnType<EventStoreDBClient['readAll']>) =>
      (await Array.fromAsync(events))
        .filter(({ event }) => event !== undefined && ours.has(event.streamId))
        .map(numberOf);

    // Forwards with the event at the position, backwards without it.
    const forwards = client.readAll({ fromPosition: first.position });
    expect(await seen(forwards)).toEqual([1, 2, 3, 4, 5]);
    const backwards = { direction: 'backwards', fromPosition: last.position } as const;
    expect(await seen(client.readAll(backwards))).toEqual([4, 3, 2, 1, 0]);
    const newest = { direction: 'backwards', fromPosition: 'end', maxCount: 1 } as const;
    expect(await Array.fromAsync(client.readAll(newest))).toHaveLength(1);
    expect(await Array.fromAsync(client.readAll({ maxCount: 3 }))).toHaveLength(3);
  });
});
