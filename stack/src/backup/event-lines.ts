import type { StoredEvent } from '@tallyhand/event-store/storage/events';
import { z } from 'zod';

/** Text if it is text, otherwise its bytes. */
const Bytes = z.union([z.string(), z.strictObject({ base64: z.base64() })]);

const EventLine = z.strictObject({
  position: z.int().min(1),
  stream: z.string(),
  revision: z.int().min(0),
  id: z.uuid(),
  type: z.string(),
  contentType: z.string(),
  created: z.int(),
  metadata: Bytes,
  data: Bytes,
});

/** An event as one line of JSON, byte for byte. */
export function lineOfEvent(event: StoredEvent): string {
  const { position, stream, revision, type, contentType, created } = event;
  const id = uuidOf(event.id);
  const line: z.infer<typeof EventLine> = {
    position,
    stream,
    revision,
    id,
    type,
    contentType,
    created,
    metadata: shown(event.metadata),
    data: shown(event.data),
  };
  return JSON.stringify(line);
}

/** Throws where it is no such line. */
export function eventOfLine(line: string): StoredEvent {
  const { id, metadata, data, ...event } = EventLine.parse(JSON.parse(line));
  return {
    ...event,
    id: Buffer.from(id.replaceAll('-', ''), 'hex'),
    metadata: bytesOf(metadata),
    data: bytesOf(data),
  };
}

function shown(given: Uint8Array): z.infer<typeof Bytes> {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString('base64') };
}

const bytesOf = (value: z.infer<typeof Bytes>) =>
  typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.base64, 'base64');

/** The usual text of a UUID's 16 bytes. */
export const uuidOf = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
