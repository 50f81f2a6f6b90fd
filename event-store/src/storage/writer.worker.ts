import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { openForWriting } from './database.ts';
import { EventRows } from './event-rows.ts';
import { EventWriter } from './event-writer.ts';
import { asDamage, DamagedStoreError, messageOf } from './faults.ts';
import { checkHeadMark, HeadMark } from './head-mark.ts';
import type { FromWriter, ToWriter } from './writer-thread.ts';

/** The only writer, in a separate thread because each commit waits for the disk. */
const { dataDir } = workerData as { dataDir: string };

type Open = { db: DatabaseSync; writer: EventWriter; mark: HeadMark };
let open: Open | null = null;

function reopen(): FromWriter {
  close();
  const db = openForWriting(dataDir);
  try {
    const head = quickCheck(dataDir, new EventRows(db));
    const writer = new EventWriter(db, head);
    writer.probe(Date.now());
    open = { db, writer, mark: new HeadMark(dataDir) };
    return { kind: 'opened', head };
  } catch (error) {
    db.close();
    throw error;
  }
}

function append(requests: Extract<ToWriter, { kind: 'append' }>['requests']): FromWriter {
  if (open === null) throw new Error('the database is not open');
  const { writer, mark } = open;
  const results = writer.appendBatch(requests, Date.now());
  mark.write(writer.head);
  return { kind: 'appended', results, head: writer.head };
}

function close(): void {
  const closing = open;
  open = null;
  if (closing === null) return;
  closing.mark[Symbol.dispose]();
  closing.db.close();
}

function answer(message: ToWriter): FromWriter {
  switch (message.kind) {
    case 'open':
      return reopen();
    case 'append':
      return append(message.requests);
    case 'close':
      close();
      return { kind: 'closed' };
  }
}

parentPort?.on('message', (message: ToWriter) => {
  let reply: FromWriter;
  try {
    reply = answer(message);
  } catch (thrown) {
    const error = asDamage(thrown);
    const isDamage = error instanceof DamagedStoreError;
    const position = isDamage ? error.position : null;
    reply = { kind: 'failed', reason: messageOf(error), isDamage, position };
  }
  parentPort?.postMessage(reply);
  if (message.kind === 'close') parentPort?.close();
});

const QUICK_CHECK_EVENTS = 1_000;

/**
 * The checks before the first append: no acknowledged event is missing at the end, and the newest
 * events are intact and found through their streams. Returns the position of the last event.
 */
function quickCheck(dataDir: string, rows: EventRows): number {
  const head = rows.head();
  checkHeadMark(dataDir, head);
  const streams = new Map<string, number>();
  let position = Math.max(1, head - QUICK_CHECK_EVENTS + 1);
  while (position <= head) {
    const page = rows.allPage('forwards', position, head - position + 1);
    if (page.length === 0) throw new DamagedStoreError('the event is missing', position);
    for (const event of page) streams.set(event.stream, event.revision);
    position += page.length;
  }
  for (const [name, revision] of streams) {
    const number = rows.streamNumber(name);
    if (number === null || rows.lastRevision(number) !== revision) {
      throw new DamagedStoreError(`the index does not lead to the end of stream ${name}`);
    }
  }
  return head;
}
