import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { StoredEvent } from '@tallyhand/event-store/storage/events';
import type { ZipFile } from '@tallyhand/service-kit/zip';
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

/** Throws for any other line. */
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

/** Unpacked; one line may be larger than that. */
const PART_BYTES = 4 * 1024 * 1024;
/** Far above the size of a genuine part; a larger one is rejected. */
const UNPACKED_BYTES_MAX = 512 * 1024 * 1024;

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Lines as packed files of a folder, small enough to be held in memory one at a time. */
export async function* partsOf(
  folder: string,
  lines: AsyncIterable<string>,
): AsyncGenerator<ZipFile> {
  let waiting: string[] = [];
  let bytes = 0;
  let number = 0;
  const part = async (): Promise<ZipFile> => {
    number += 1;
    const contents = await pack(waiting.join(''));
    waiting = [];
    bytes = 0;
    return { name: `${folder}/${String(number).padStart(6, '0')}.ndjson.gz`, contents };
  };
  for await (const line of lines) {
    waiting.push(`${line}\n`);
    bytes += line.length;
    if (bytes >= PART_BYTES) yield await part();
  }
  if (waiting.length > 0) yield await part();
}

/** The lines of one part. */
export async function linesOf(contents: Buffer): Promise<string[]> {
  const unpacked = await unpack(contents, { maxOutputLength: UNPACKED_BYTES_MAX });
  return unpacked.toString().split('\n').slice(0, -1);
}
