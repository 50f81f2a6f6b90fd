import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { StoredEvent } from './events.ts';
import { asDamage, DamagedStoreError } from './faults.ts';

const COLUMNS = `e.position, s.name AS stream, e.revision, e.id, e.type,
  e.content_type AS contentType, e.created, e.checksum, e.metadata, e.data`;
// LEFT: an event whose stream's name is missing must be noticed, not skipped.
const FROM = 'FROM event e LEFT JOIN stream s ON s.number = e.stream';

export type Direction = 'forwards' | 'backwards';

/**
 * A page ends after this many events or bytes, whichever comes first, so that no read holds the
 * thread for long.
 */
const PAGE_EVENTS_MAX = 128;
const PAGE_BYTES_MAX = 512 * 1024;

/**
 * Reads events in pages and verifies everything: each row's checksum, and consecutive positions and
 * revisions, so that a removed row or a corrupt index stops the read with DamagedStoreError.
 */
export class EventRows {
  readonly #all: Record<Direction, StatementSync>;
  readonly #stream: Record<Direction, StatementSync>;
  readonly #number: StatementSync;
  readonly #head: StatementSync;
  readonly #lastRevision: StatementSync;
  readonly #systemStreams: StatementSync;

  constructor(db: DatabaseSync) {
    this.#all = {
      forwards: db.prepare(
        `SELECT ${COLUMNS} ${FROM} WHERE position >= ? ORDER BY position LIMIT ?`,
      ),
      backwards: db.prepare(
        `SELECT ${COLUMNS} ${FROM} WHERE position <= ? ORDER BY position DESC LIMIT ?`,
      ),
    };
    this.#stream = {
      forwards: db.prepare(`SELECT ${COLUMNS} ${FROM}
        WHERE e.stream = ? AND e.revision >= ? ORDER BY e.revision LIMIT ?`),
      backwards: db.prepare(`SELECT ${COLUMNS} ${FROM}
        WHERE e.stream = ? AND e.revision <= ? ORDER BY e.revision DESC LIMIT ?`),
    };
    this.#number = db.prepare('SELECT number FROM stream WHERE name = ?');
    this.#head = db.prepare('SELECT max(position) AS head FROM event');
    // '%' is the sign after '$'.
    this.#systemStreams = db.prepare("SELECT name FROM stream WHERE name >= '$' AND name < '%'");
    this.#lastRevision = db.prepare('SELECT max(revision) AS last FROM event WHERE stream = ?');
  }

  /** The position of the last event, 0 when there is none. */
  head(): number {
    return guarded(() => Number(this.#head.get()?.head ?? 0));
  }

  /** The stream's number for `streamPage`, or null when it has no events. */
  streamNumber(name: string): number | null {
    const row = guarded(() => this.#number.get(name));
    return row === undefined ? null : Number(row.number);
  }

  /** The names of the server's own streams. */
  systemStreams(): string[] {
    return guarded(() => this.#systemStreams.all().map(({ name }) => String(name)));
  }

  /** The data of the stream's newest event, or null when it has no events. */
  lastData(name: string): Uint8Array | null {
    const stream = this.streamNumber(name);
    if (stream === null) return null;
    const [newest] = this.streamPage(stream, 'backwards', this.lastRevision(stream), 1);
    return newest?.data ?? null;
  }

  /** The revision of the stream's last event. */
  lastRevision(stream: number): number {
    return guarded(() => Number(this.#lastRevision.get(stream)?.last ?? -1));
  }

  /**
   * Up to `limit` events of all streams, starting with the one at `from`. An empty page means there
   * are no more.
   */
  allPage(direction: Direction, from: number, limit: number): StoredEvent[] {
    const count = Math.min(limit, PAGE_EVENTS_MAX);
    const step = direction === 'forwards' ? 1 : -1;
    let expected = from;
    return this.#page(
      this.#all[direction].iterate(from, count),
      direction === 'forwards' ? from : null,
      (event) => {
        if (event.position !== expected)
          throw new DamagedStoreError('the event is missing', expected);
        expected += step;
      },
    );
  }

  /**
   * As allPage, for one stream; `from` is a revision, at most the last one when reading backwards.
   */
  streamPage(stream: number, direction: Direction, from: number, limit: number): StoredEvent[] {
    const count = Math.min(limit, PAGE_EVENTS_MAX);
    const step = direction === 'forwards' ? 1 : -1;
    let expected = from;
    return this.#page(this.#stream[direction].iterate(stream, from, count), null, (event) => {
      if (event.revision !== expected) {
        throw new DamagedStoreError(
          `event ${expected} of stream ${event.stream} is missing before this one`,
          event.position,
        );
      }
      expected += step;
    });
  }

  #page(
    rows: Iterable<Record<string, unknown>>,
    first: number | null,
    check: (event: StoredEvent) => void,
  ): StoredEvent[] {
    const page: StoredEvent[] = [];
    let next = first;
    let bytes = 0;
    try {
      for (const row of rows) {
        const event = toEvent(row);
        check(event);
        page.push(event);
        if (next !== null) next = event.position + 1;
        bytes += event.data.byteLength + event.metadata.byteLength;
        if (bytes >= PAGE_BYTES_MAX) break;
      }
    } catch (error) {
      throw asDamage(error, next);
    }
    return page;
  }
}

type Row = StoredEvent & { checksum: number };

function toEvent(row: Record<string, unknown>): StoredEvent {
  const { checksum, ...event } = row as Row;
  if (event.stream === null) {
    throw new DamagedStoreError('the name of its stream is missing', event.position);
  }
  checkRow(event, checksum);
  return event;
}

function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asDamage(error);
  }
}

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
