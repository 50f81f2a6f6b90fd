import { openForReading } from './database.ts';
import { EventRows } from './event-rows.ts';
import { asDamage, DamagedStoreError } from './faults.ts';
import { checkHeadMark } from './head-mark.ts';

/**
 * Reads all there is: every event with its checksum and without gaps in positions and revisions,
 * the indexes, and SQLite's own structure. May run beside a server. Throws DamagedStoreError with
 * the first damaged position.
 */
export function verifyStore(dataDir: string): { events: number; streams: number } {
  using db = openForReading(dataDir);
  // One transaction, so that a running server does not change what is compared.
  db.exec('BEGIN');
  const rows = new EventRows(db);
  const head = rows.head();
  const revisions = verifyEvents(rows, head);
  checkHeadMark(dataDir, head);
  for (const [name, revision] of revisions) {
    const number = rows.streamNumber(name);
    if (number === null || rows.lastRevision(number) !== revision) {
      throw new DamagedStoreError(`the index does not lead to the end of stream ${name}`);
    }
  }
  try {
    const [finding] = db.prepare('PRAGMA integrity_check(1)').all();
    if (finding?.integrity_check !== 'ok') {
      throw new DamagedStoreError(String(finding?.integrity_check));
    }
  } catch (error) {
    throw asDamage(error);
  }
  return { events: head, streams: revisions.size };
}

/** The last revision of each stream, by name. */
function verifyEvents(rows: EventRows, head: number): Map<string, number> {
  const revisions = new Map<string, number>();
  for (let position = 1; position <= head; ) {
    const page = rows.allPage('forwards', position, head - position + 1);
    if (page.length === 0) throw new DamagedStoreError('the event is missing', position);
    for (const event of page) {
      const expected = (revisions.get(event.stream) ?? -1) + 1;
      if (event.revision !== expected) {
        throw new DamagedStoreError(
          `event ${expected} of stream ${event.stream} should stand here or before`,
          event.position,
        );
      }
      revisions.set(event.stream, event.revision);
    }
    position += page.length;
  }
  return revisions;
}
