import { crc32 } from 'node:zlib';
import type { StoredEvent } from './events.ts';
import { DamagedStoreError } from './faults.ts';

/**
 * CRC-32 over every column of an event, including its position and stream name, so that an altered
 * or moved row is noticed.
 */
export function rowChecksum(event: StoredEvent): number {
  const header = [
    event.position,
    event.stream,
    event.revision,
    Buffer.from(event.id.buffer, event.id.byteOffset, event.id.byteLength).toString('hex'),
    event.type,
    event.contentType,
    event.created,
    event.metadata.byteLength,
  ].join('\n');
  return crc32(event.data, crc32(event.metadata, crc32(header)));
}

/** Throws DamagedStoreError unless the checksum that was stored with the event fits it. */
export function checkRow(event: StoredEvent, checksum: number): void {
  if (rowChecksum(event) !== checksum) {
    throw new DamagedStoreError(
      `the checksum of event ${event.revision} of stream ${event.stream} is wrong`,
      event.position,
    );
  }
}
