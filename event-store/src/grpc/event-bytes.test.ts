import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../storage/events.ts';
import { uuidMessage } from '../testing/uuid-message.ts';
import { eventBytes, type UuidForm } from './event-bytes.ts';
import { sharedPb, streamsPb } from './protocol.ts';

/** The same response by the messages of the official client. */
function byProtobuf(event: StoredEvent, form: UuidForm): Uint8Array {
  const position = String(event.position);
  const recorded = new streamsPb.ReadResp.ReadEvent.RecordedEvent();
  const stream = new sharedPb.StreamIdentifier().setStreamName(Buffer.from(event.stream));
  recorded
    .setId(uuidMessage(event.id, form))
    .setStreamIdentifier(stream)
    .setStreamRevision(String(event.revision))
    .setPreparePosition(position)
    .setCommitPosition(position)
    .setCustomMetadata(event.metadata)
    .setData(event.data);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('content-type', event.contentType)
    .set('created', `${event.created}0000`);
  const read = new streamsPb.ReadResp.ReadEvent();
  read.setEvent(recorded).setCommitPosition(position);
  return new streamsPb.ReadResp().setEvent(read).serializeBinary();
}

/** Numbers around each place where one more byte is needed. */
const number = (min: number) =>
  fc
    .record({ bits: fc.integer({ min: 0, max: 53 }), around: fc.integer({ min: -2, max: 2 }) })
    .map(({ bits, around }) =>
      Math.min(Number.MAX_SAFE_INTEGER, Math.max(min, 2 ** bits + around)),
    );
const half = fc.oneof(
  fc.constantFrom(0n, 1n, 127n, 128n, 2n ** 63n, 2n ** 64n - 1n),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.integer({ min: 0, max: 63 }).map((bits) => 2n ** BigInt(bits)),
  fc.integer({ min: 1, max: 64 }).map((bits) => 2n ** BigInt(bits) - 1n),
);
const id = fc.tuple(half, half).map(([most, least]) => {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64BE(most, 0);
  bytes.writeBigUInt64BE(least, 8);
  return new Uint8Array(bytes);
});
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ minLength: 120, maxLength: 140 }),
);
const content = fc
  .tuple(
    fc.oneof(fc.nat({ max: 300 }), fc.integer({ min: 16_380, max: 16_390 })),
    fc.uint8Array({ minLength: 1, maxLength: 40 }),
  )
  .map(([length, pattern]) => new Uint8Array(Buffer.alloc(length, pattern)));
const event: fc.Arbitrary<StoredEvent> = fc.record({
  position: number(1),
  stream: text.filter((name) => name !== ''),
  revision: number(0),
  id,
  type: text,
  contentType: fc.constantFrom('application/json', 'application/octet-stream', ''),
  created: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  metadata: content,
  data: content,
});

describe('the bytes of an event', () => {
  it.each<UuidForm>(['text', 'structured'])('are those of google-protobuf, ids as %s', (form) => {
    fc.assert(
      fc.property(event, (one) => {
        expect(eventBytes(one, form).equals(byProtobuf(one, form))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
