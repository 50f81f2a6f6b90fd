import { type EventStoreDBClient, WrongExpectedVersionError } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import timestampPb from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newStream, numbered } from '../conformance/subject.ts';
import { openRawStore, type RawClient } from '../testing/raw-client.ts';
import {
  appendEvent,
  appendOptions,
  batchMessage,
  batchOptions,
  readAllWith,
  readStream,
} from '../testing/raw-requests.ts';
import { codePb } from './protocol.ts';

const UINT64_MAX = 2n ** 64n - 1n;
const INT64_MAX = 2n ** 63n - 1n;
const credentials = { username: 'admin', password: 'changeit' };
/** With credentials the client takes Append, without them BatchAppend. */
const PATHS = [
  ['append', { credentials }],
  ['batch append', {}],
] as const;

describe('the edges of an append and a read', () => {
  let store: Awaited<ReturnType<typeof openRawStore>>;
  let client: EventStoreDBClient;
  let raw: RawClient;
  beforeAll(async () => {
    store = await openRawStore();
    ({ client, raw } = store);
  });
  afterAll(() => store?.[Symbol.asyncDispose]());

  describe.each(PATHS)('by %s', (_name, path) => {
    it('accepts the largest number for "no stream", as EventStoreDB does', async () => {
      const stream = newStream();
      const options = { ...path, expectedRevision: UINT64_MAX };
      await client.appendToStream(stream, numbered(0, 1), options);
      const error = await client.appendToStream(stream, numbered(1, 1), options).catch((e) => e);
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ expectedVersion: 'no_stream', actualVersion: 0n });
    });

    it('repeats the largest revision to the last digit when it refuses it', async () => {
      const stream = newStream();
      await client.appendToStream(stream, numbered(0, 1), path);
      const options = { ...path, expectedRevision: INT64_MAX };
      const error = await client.appendToStream(stream, numbered(1, 1), options).catch((e) => e);
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ expectedVersion: INT64_MAX, actualVersion: 0n });
    });

    it('refuses a number that is no revision', async () => {
      const options = { ...path, expectedRevision: INT64_MAX + 1n };
      const append = client.appendToStream(newStream(), numbered(0, 1), options);
      await expect(append).rejects.toThrow(/9223372036854775808 is larger than any revision/);
    });
  });

  it('reports that an append came after its deadline, whatever its size', async () => {
    const options = batchOptions(newStream()).setDeadline(
      timestampPb.Timestamp.fromDate(new Date(Date.now() - 1)),
    );
    const answer = await store.batchAnswer(batchMessage(options, Buffer.alloc(2 * 1024 * 1024)));
    expect(answer.getError()?.getCode()).toBe(codePb.Code.DEADLINE_EXCEEDED);
  });

  it('accepts a deadline beyond the last valid date', async () => {
    const deadline = new timestampPb.Timestamp().setSeconds(1e15);
    const options = batchOptions(newStream()).setDeadline(deadline);
    const answer = await store.batchAnswer(batchMessage(options, Buffer.from('1')));
    expect(answer.hasSuccess()).toBe(true);
  });

  it('refuses a content type that is as long as a text', async () => {
    const stream = newStream();
    const event = appendEvent(Buffer.from('1'));
    event.getProposedMessage()?.getMetadataMap().set('content-type', 'x'.repeat(100_000));
    const { code } = await raw.append([appendOptions(stream), event]).ended;
    expect(code).toBe(status.INVALID_ARGUMENT);
  });

  it.each([
    ['revision', (place: string, stream: string) => readStream(stream, { revision: place })],
    ['position', (place: string) => readAllWith(null, { position: place })],
  ])(
    'reads from a %s up to the largest there can be, and refuses others',
    async (_what, request) => {
      const stream = newStream();
      await client.appendToStream(stream, numbered(0, 1));
      for (const place of [INT64_MAX, UINT64_MAX]) {
        const { call } = raw.read(request(`${place}`, stream));
        expect(await Array.fromAsync(call)).toEqual([]);
      }
      const { call, ended } = raw.read(request(`${INT64_MAX + 1n}`, stream));
      call.resume();
      expect((await ended).code).toBe(status.INVALID_ARGUMENT);
    },
  );
});
