import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { databasePath, openForReading, openForWriting } from './database.ts';
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

/** Longer than the writer's longest transaction. */
const WAIT_MS_MAX = 10_000;

/**
 * Keeps the server of the folder from committing, also from another process: appends wait until the
 * release. The writer treats the database as broken after 2 s, so hold it for much less. Ends with
 * the process that holds it, however that ends.
 */
export class HeldAppends implements Disposable {
  /** The position of the last event, 0 when there is none. */
  readonly head: number;
  readonly #db: DatabaseSync;

  constructor(dataDir: string) {
    this.#db = new DatabaseSync(databasePath(dataDir), { timeout: WAIT_MS_MAX });
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      const row = this.#db.prepare('SELECT max(position) AS head FROM event').get();
      this.head = Number(row?.head ?? 0);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    // Its connection has only read.
    this.#db.close();
  }
}
