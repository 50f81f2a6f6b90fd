import { setImmediate } from 'node:timers/promises';
import { openForReading, openForWriting } from './database.ts';
import { EventRows } from './event-rows.ts';
import { EventWriter } from './event-writer.ts';
import type { StoredEvent } from './events.ts';
import { FolderLock } from './folder-lock.ts';
import { HeadMark } from './head-mark.ts';

const BATCH_EVENTS = 1_000;
const BATCH_BYTES = 8 * 1024 * 1024;

/**
 * All events from position `from` up to `head`, oldest first, each checked; may run beside a server. Throws
 * DamagedStoreError.
 */
export async function* readEvents(
  dataDir: string,
  head: number,
  from = 1,
): AsyncGenerator<StoredEvent, undefined> {
  using db = openForReading(dataDir);
  const rows = new EventRows(db);
  for (let position = from; position <= head; ) {
    const page = rows.allPage('forwards', position, head - position + 1);
    if (page.length === 0) throw new Error(`The event store ends before position ${position}`);
    yield* page;
    position += page.length;
    // A read beside others lets them have their turn.
    await setImmediate();
  }
  return undefined;
}

/** Creates a store from the events of another, in an empty folder; returns their number. */
export async function writeEvents(
  dataDir: string,
  events: AsyncIterable<StoredEvent>,
): Promise<number> {
  using _lock = FolderLock.acquire(dataDir);
  using db = openForWriting(dataDir);
  const writer = new EventWriter(db, new EventRows(db).head());
  let batch: StoredEvent[] = [];
  let bytes = 0;
  const write = () => {
    writer.restoreBatch(batch);
    batch = [];
    bytes = 0;
  };
  for await (const event of events) {
    batch.push(event);
    bytes += event.data.byteLength + event.metadata.byteLength;
    if (batch.length >= BATCH_EVENTS || bytes >= BATCH_BYTES) write();
  }
  write();
  using mark = new HeadMark(dataDir);
  mark.write(writer.head);
  return writer.head;
}
