import { type EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newStream, numbered, numbersOf } from '../conformance/subject.ts';
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

const BYTES_INVALID = Uint8Array.from([0x61, 0xff, 0x62]);
/** Two bytes of UTF-8 that the tests make invalid on the wire. */
const MARK = 'Ä';

/** The message with each MARK of its text turned into bytes that are no UTF-8. */
function withInvalidText(message: { serializeBinary(): Uint8Array }): Uint8Array {
  const bytes = Buffer.from(message.serializeBinary());
  const at = bytes.indexOf(MARK);
  expect(at).toBeGreaterThan(0);
  bytes.set([0xff, 0xfe], at);
  return bytes;
}

describe('names and texts', () => {
  let store: Awaited<ReturnType<typeof openRawStore>>;
  let client: EventStoreDBClient;
  let raw: RawClient;
  beforeAll(async () => {
    store = await openRawStore();
    ({ client, raw } = store);
  });
  afterAll(() => store?.[Symbol.asyncDispose]());

  it('keeps a byte order mark, in the name of a stream and in the type of an event', async () => {
    const name = newStream();
    const marked = `\uFEFF${name}`;
    await client.appendToStream(name, numbered(0, 1));
    await client.appendToStream(marked, jsonEvent({ type: '\uFEFFCounted', data: { n: 1 } }));
    expect(await numbersOf(client.readStream(name))).toEqual([0]);
    const [only, ...others] = await Array.fromAsync(client.readStream(marked));
    expect(others).toEqual([]);
    expect(only?.event).toMatchObject({ streamId: marked, type: '\uFEFFCounted' });
    const { call } = raw.read(readAllWith({ prefixes: ['\uFEFF'] }));
    expect(await Array.fromAsync(call)).toHaveLength(1);
  });

  it.each([
    ['the name of a stream', () => [appendOptions(BYTES_INVALID), appendEvent(Buffer.from('1'))]],
    [
      'the type of an event',
      () => [
        appendOptions(newStream()),
        withInvalidText(appendEvent(Buffer.from('1'), `T${MARK}`)),
      ],
    ],
  ])('refuses an append with bytes in %s that are no UTF-8', async (_what, messages) => {
    const { code, details } = await raw.append(messages()).ended;
    expect(code).toBe(status.INVALID_ARGUMENT);
    expect(details).toMatch(/UTF-8/);
  });

  it.each([
    ['the name of a stream', () => batchMessage(batchOptions(BYTES_INVALID), Buffer.from('1'))],
    [
      'the type of an event',
      () =>
        withInvalidText(
          batchMessage(batchOptions(newStream()), Buffer.from('1'), { type: `T${MARK}` }),
        ),
    ],
  ])('refuses a batch append with bytes in %s that are no UTF-8', async (_what, message) => {
    const answer = await store.batchAnswer(message());
    expect(answer.getError()?.getCode()).toBe(codePb.Code.INVALID_ARGUMENT);
    expect(answer.getError()?.getMessage()).toMatch(/UTF-8/);
  });

  it.each([
    ['the name of a stream', () => readStream(BYTES_INVALID)],
    ['a prefix', () => withInvalidText(readAllWith({ prefixes: [`p${MARK}`] }))],
    ['a regular expression', () => withInvalidText(readAllWith({ regex: `p${MARK}` }))],
  ])('refuses a read with bytes in %s that are no UTF-8', async (_what, request) => {
    const { call, ended } = raw.read(request());
    call.resume();
    const { code, details } = await ended;
    expect(code).toBe(status.INVALID_ARGUMENT);
    expect(details).toMatch(/UTF-8/);
  });

  it('keeps names apart that differ in a NUL character only', async () => {
    const name = newStream();
    await client.appendToStream(name, numbered(0, 1));
    await client.appendToStream(`${name}\0`, numbered(1, 1));
    expect(await numbersOf(client.readStream(name))).toEqual([0]);
    expect(await numbersOf(client.readStream(`${name}\0`))).toEqual([1]);
  });
});
