import type { StoredEvent } from '../storage/events.ts';
import { uuidText } from './uuid.codec.ts';

/*
 * The bytes of `ReadResp` with one event, as google-protobuf writes them, for a fraction of what its
 * messages cost: most of the work of a read is this. event-bytes.test.ts compares the two.
 */

/** Clients choose how ids are written. */
export type UuidForm = 'text' | 'structured';

/** The number of a field and how its value is written: 0 as a number, 2 with its length before it. */
const tag = (field: number, kind: 0 | 2) => field * 8 + kind;

/** Of `ReadResp` and `ReadEvent`. */
const [EVENT, POSITION] = [tag(1, 2), tag(3, 0)];
/** Of `RecordedEvent`. */
const RECORDED = {
  id: tag(1, 2),
  stream: tag(2, 2),
  revision: tag(3, 0),
  prepare: tag(4, 0),
  commit: tag(5, 0),
  system: tag(6, 2),
  metadata: tag(7, 2),
  data: tag(8, 2),
} as const;
const STREAM_NAME = tag(3, 2);
const UUID = { structured: tag(1, 2), text: tag(2, 2), most: tag(1, 0), least: tag(2, 0) } as const;
const ENTRY = { key: tag(1, 2), value: tag(2, 2) } as const;

const SEVEN_BITS = 128;

/** Bytes of a number up to 2 ** 53, seven bits in each. */
function lengthOf(value: number): number {
  let length = 1;
  for (let rest = value; rest >= SEVEN_BITS; rest = Math.floor(rest / SEVEN_BITS)) length += 1;
  return length;
}

/** Of a field with so many bytes: its tag, their number and they. */
const fieldLength = (bytes: number) => 1 + lengthOf(bytes) + bytes;

/** One entry of the map of system metadata. */
type Entry = { readonly key: string; readonly value: string; readonly length: number };

function entryOf(key: string, value: string): Entry {
  const length = fieldLength(key.length) + fieldLength(Buffer.byteLength(value));
  return { key, value, length };
}

/** Writes into a buffer of exactly the right length. */
class Writer {
  readonly bytes: Buffer;
  #at = 0;

  constructor(length: number) {
    this.bytes = Buffer.allocUnsafe(length);
  }

  number(value: number): void {
    let rest = value;
    for (; rest >= SEVEN_BITS; rest = Math.floor(rest / SEVEN_BITS)) {
      this.byte((rest % SEVEN_BITS) + SEVEN_BITS);
    }
    this.byte(rest);
  }

  /** A number of 64 bits, as its high and its low half. */
  long(high: number, low: number): void {
    let [upper, lower] = [high, low];
    while (upper > 0 || lower >= SEVEN_BITS) {
      this.byte((lower & 0x7f) | SEVEN_BITS);
      lower = ((lower >>> 7) | (upper << 25)) >>> 0;
      upper >>>= 7;
    }
    this.byte(lower);
  }

  /** The tag and the length of what follows. */
  head(field: number, length: number): void {
    this.byte(field);
    this.number(length);
  }

  text(field: number, text: string): void {
    const length = Buffer.byteLength(text);
    this.head(field, length);
    this.bytes.write(text, this.#at);
    this.#at += length;
  }

  content(field: number, content: Uint8Array): void {
    if (content.byteLength === 0) return;
    this.head(field, content.byteLength);
    this.bytes.set(content, this.#at);
    this.#at += content.byteLength;
  }

  byte(value: number): void {
    this.bytes[this.#at] = value;
    this.#at += 1;
  }
}

const UUID_TEXT_BYTES = 36;

/** The halves of a UUID, each of them as two numbers of 32 bits; a half that is 0 is not written. */
function halvesOf(id: Uint8Array) {
  const view = new DataView(id.buffer, id.byteOffset, id.byteLength);
  const half = (field: number, at: number) => {
    const [high, low] = [view.getUint32(at), view.getUint32(at + 4)];
    const isWritten = high > 0 || low > 0;
    return { field, high, low, length: isWritten ? 1 + lengthOfLong(high, low) : 0 };
  };
  return [half(UUID.most, 0), half(UUID.least, 8)] as const;
}

function lengthOfLong(high: number, low: number): number {
  if (high === 0) return lengthOf(low);
  // The low half has 32 bits: 28 of them in four bytes, and 4 beside the first three of the high one.
  return high < 8 ? 5 : 5 + lengthOf(Math.floor(high / 8));
}

/** The response with an event. `created` goes out in ticks of 100 ns since 1970, as EventStoreDB does. */
export function eventBytes(event: StoredEvent, form: UuidForm): Buffer {
  const { position, revision, metadata, data } = event;
  const halves = form === 'structured' ? halvesOf(event.id) : null;
  const structured = halves ? halves[0].length + halves[1].length : 0;
  const uuid = fieldLength(halves ? structured : UUID_TEXT_BYTES);
  const name = fieldLength(Buffer.byteLength(event.stream));
  // In the order of their keys.
  const entries = [
    entryOf('content-type', event.contentType),
    entryOf('created', `${event.created}0000`),
    entryOf('type', event.type),
  ];
  const place = 1 + lengthOf(position);
  let recorded = fieldLength(uuid) + fieldLength(name) + 2 * place;
  if (revision > 0) recorded += 1 + lengthOf(revision);
  for (const { length } of entries) recorded += fieldLength(length);
  for (const content of [metadata, data]) {
    if (content.byteLength > 0) recorded += fieldLength(content.byteLength);
  }
  const read = fieldLength(recorded) + place;
  const writer = new Writer(fieldLength(read));
  writer.head(EVENT, read);
  writer.head(EVENT, recorded);
  writer.head(RECORDED.id, uuid);
  if (halves) {
    writer.head(UUID.structured, structured);
    for (const { field, high, low, length } of halves) {
      if (length === 0) continue;
      writer.byte(field);
      writer.long(high, low);
    }
  } else writer.text(UUID.text, uuidText(event.id));
  writer.head(RECORDED.stream, name);
  writer.text(STREAM_NAME, event.stream);
  if (revision > 0) {
    writer.byte(RECORDED.revision);
    writer.number(revision);
  }
  for (const field of [RECORDED.prepare, RECORDED.commit]) {
    writer.byte(field);
    writer.number(position);
  }
  for (const { key, value, length } of entries) {
    writer.head(RECORDED.system, length);
    writer.text(ENTRY.key, key);
    writer.text(ENTRY.value, value);
  }
  writer.content(RECORDED.metadata, metadata);
  writer.content(RECORDED.data, data);
  writer.byte(POSITION);
  writer.number(position);
  return writer.bytes;
}
