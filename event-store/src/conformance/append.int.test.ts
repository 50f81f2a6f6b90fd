import { randomUUID } from 'node:crypto';
import {
  binaryEvent,
  type EventStoreDBClient,
  jsonEvent,
  MaxAppendSizeExceededError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Clients, newStream, numbered, numbersOf } from './subject.ts';
import { describeSubjects } from './subjects.ts';

/** With credentials the client uses Append instead of BatchAppend: both must behave alike. */
const PATHS = [
  ['batch append', {}],
  ['append', { credentials: { username: 'admin', password: 'changeit' } }],
] as const;

describeSubjects('appending to', (subject) => {
  let clients: Clients;
  let client: EventStoreDBClient;
  beforeAll(async () => {
    clients = new Clients(await subject.connect());
    client = clients.client();
  });
  afterAll(() => clients?.[Symbol.asyncDispose]());

  describe.each(PATHS)('by %s', (_name, path) => {
    it('keeps data, metadata, type and id', async () => {
      const stream = newStream();
      const id = randomUUID();
      const json = jsonEvent({ id, type: 'Jsön', data: { a: 'ä€😀' }, metadata: { by: 'me' } });
      const bytes = Uint8Array.from([0, 1, 255]);
      const binary = binaryEvent({ type: 'Binary', data: bytes, metadata: bytes });
      const before = Date.now();
      const result = await client.appendToStream(stream, [json, binary], { ...path });
      expect(result).toMatchObject({ success: true, nextExpectedRevision: 1n });
      const [first, second] = await Array.fromAsync(client.readStream(stream));
      expect(first?.event).toMatchObject({
        streamId: stream,
        id,
        type: 'Jsön',
        revision: 0n,
        isJson: true,
        data: { a: 'ä€😀' },
        metadata: { by: 'me' },
      });
      expect(Number(first?.event?.created)).toBeGreaterThanOrEqual(before - 5_000);
      expect(second?.event).toMatchObject({ type: 'Binary', revision: 1n, isJson: false });
      expect(Buffer.from(second?.event?.data as Uint8Array)).toEqual(Buffer.from(bytes));
      expect(Buffer.from(second?.event?.metadata as Uint8Array)).toEqual(Buffer.from(bytes));
      expect(second?.event?.position).toEqual(result.position);
    });

    it('accepts an append when the stream is as expected', async () => {
      const stream = newStream();
      const append = (
        n: number,
        expectedRevision: bigint | 'any' | 'no_stream' | 'stream_exists',
      ) => client.appendToStream(stream, numbered(n, 1), { ...path, expectedRevision });
      await append(0, 'no_stream');
      await append(1, 0n);
      await append(2, 'stream_exists');
      const last = await append(3, 'any');
      expect(last.nextExpectedRevision).toBe(3n);
      expect(await numbersOf(client.readStream(stream))).toEqual([0, 1, 2, 3]);
    });

    it.each([
      ['no_stream', 'no_stream', 1n],
      [0n, 0n, 1n],
      [2n, 2n, 1n],
    ] as const)('refuses %s when the revision is 1', async (expectedRevision, expected, actual) => {
      const stream = newStream();
      await client.appendToStream(stream, numbered(0, 2), { ...path });
      const append = client.appendToStream(stream, numbered(9, 1), {
        ...path,
        expectedRevision,
      });
      const error = await append.catch((thrown) => thrown);
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({
        streamName: stream,
        expectedVersion: expected,
        actualVersion: actual,
      });
      expect(await numbersOf(client.readStream(stream))).toEqual([0, 1]);
    });

    it.each(['stream_exists', 0n] as const)('refuses %s without a stream', async (expected) => {
      const stream = newStream();
      const options = { ...path, expectedRevision: expected };
      const error = await client.appendToStream(stream, numbered(0, 1), options).catch((e) => e);
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ expectedVersion: expected, actualVersion: 'no_stream' });
    });

    it('answers a refusal as a value when the client asks for that', async () => {
      const quiet = clients.client('throwOnAppendFailure=false');
      const stream = newStream();
      const options = { ...path, expectedRevision: 7n } as const;
      const result = await quiet.appendToStream(stream, numbered(0, 1), options);
      expect(result.success).toBe(false);
    });

    it.each(['any', 'no_stream'] as const)(
      'stores a repeated append once with %s',
      async (expected) => {
        const stream = newStream();
        const events = numbered(0, 3);
        const options = { ...path, expectedRevision: expected };
        const first = await client.appendToStream(stream, events, options);
        const second = await client.appendToStream(stream, events, options);
        expect(second).toEqual(first);
        expect(await numbersOf(client.readStream(stream))).toEqual([0, 1, 2]);
      },
    );

    it('appends a repeated event with a revision once, also after others', async () => {
      const stream = newStream();
      await client.appendToStream(stream, numbered(0, 1), { ...path });
      const events = numbered(1, 2);
      const options = { ...path, expectedRevision: 0n };
      await client.appendToStream(stream, events, options);
      await client.appendToStream(stream, numbered(3, 1), { ...path });
      const repeated = await client.appendToStream(stream, events, options);
      expect(repeated.nextExpectedRevision).toBe(2n);
      expect(await numbersOf(client.readStream(stream))).toEqual([0, 1, 2, 3]);
    });

    it('refuses an append that repeats only a part', async () => {
      const stream = newStream();
      const events = numbered(0, 2);
      await client.appendToStream(stream, events, { ...path });
      const mixed = [...events.slice(0, 1), ...numbered(5, 1)];
      const error = await client.appendToStream(stream, mixed, { ...path }).catch((e) => e);
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(await numbersOf(client.readStream(stream))).toEqual([0, 1]);
    });

    it('refuses more than 1 MB, and accepts slightly less', async () => {
      const stream = newStream();
      const large = (length: number) => jsonEvent({ type: 'Large', data: 'x'.repeat(length) });
      const error = await client
        .appendToStream(stream, large(1024 * 1024), { ...path })
        .catch((thrown) => thrown);
      expect(error).toBeInstanceOf(MaxAppendSizeExceededError);
      expect(error.maxAppendSize).toBe(1024 * 1024);
      await client.appendToStream(stream, large(1024 * 1024 - 64), { ...path });
      expect(await Array.fromAsync(client.readStream(stream))).toHaveLength(1);
    });

    it('gives each revision to exactly one of many writers', async () => {
      const stream = newStream();
      const attempts = Array.from({ length: 60 }, async (_, n) => {
        const expectedRevision = n % 3 === 0 ? ('no_stream' as const) : BigInt((n % 3) - 1);
        const options = { ...path, expectedRevision };
        return client.appendToStream(stream, numbered(n, 1), options).then(
          (result) => result.nextExpectedRevision,
          (error) => {
            expect(error).toBeInstanceOf(WrongExpectedVersionError);
            return null;
          },
        );
      });
      const won = (await Promise.all(attempts)).filter((revision) => revision !== null);
      expect(new Set(won).size).toBe(won.length);
      expect(await Array.fromAsync(client.readStream(stream))).toHaveLength(won.length);
      expect(won).toContain(0n);
    });
  });

  it('keeps stream metadata', async () => {
    const stream = newStream();
    await client.setStreamMetadata(stream, { maxCount: 100, owner: 'me' });
    const { metadata } = await client.getStreamMetadata(stream);
    expect(metadata).toMatchObject({ maxCount: 100, owner: 'me' });
  });
});
