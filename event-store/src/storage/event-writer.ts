import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { decideAppend, type KnownEvent } from './append-decision.ts';
import { rowChecksum } from './event-rows.ts';
import { type AppendRequest, type AppendResult, NO_STREAM, type StoredEvent } from './events.ts';

type StreamHead = { number: number; revision: number };

const STREAM_HEADS_MAX = 20_000;
/** Reading them takes about 20 ms of the start. */
const RECENT_IDS_AT_START = 16_384;

/**
 * Writes batches of appends, each batch in one transaction. After a failed commit the writer must
 * be discarded, because its cached streams may be wrong.
 */
export class EventWriter {
  readonly #db: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #heads = new LRUCache<string, StreamHead>({ max: STREAM_HEADS_MAX });
  readonly #recent = new RecentIds();
  #head: number;

  constructor(db: DatabaseSync, head: number) {
    this.#db = db;
    this.#head = head;
    this.#statements = prepareStatements(db);
    for (const row of this.#statements.newestIds.iterate(head - RECENT_IDS_AT_START)) {
      this.#recent.add(recentKey(row.id as Uint8Array), Number(row.position));
    }
  }

  /** The position of the last event written. */
  get head(): number {
    return this.#head;
  }

  /**
   * Throws when the batch is not durable as a whole; then none of it may be acknowledged. `now` in
   * milliseconds.
   */
  appendBatch(requests: readonly AppendRequest[], now: number): AppendResult[] {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const results = requests.map((request) => this.#append(request, now));
      this.#db.exec('COMMIT');
      return results;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /**
   * Writes events of another store unchanged, including times, in one transaction. Throws an Error
   * if one does not follow the existing events.
   */
  restoreBatch(events: readonly StoredEvent[]): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      for (const event of events) {
        const stream = this.#streamHead(event.stream);
        if (event.position !== this.#head + 1 || event.revision !== stream.revision + 1) {
          throw new Error(`Event ${event.position} does not follow on what is here`);
        }
        this.#write(stream, event);
      }
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Proves that the disk accepts a commit again. */
  probe(now: number): void {
    this.#db.prepare('INSERT OR REPLACE INTO writable_probe (only, at) VALUES (1, ?)').run(now);
  }

  #append(request: AppendRequest, now: number): AppendResult {
    const stream = this.#streamHead(request.stream);
    const ids = request.events.map((event) => event.id);
    const decision = decideAppend(request.expected, ids, {
      current: stream.revision,
      find: (id, revision) => this.#find(stream.number, id, revision),
    });
    switch (decision.kind) {
      case 'wrong-expected-revision':
        return { kind: 'wrong-expected-revision', current: stream.revision };
      case 'already-appended':
        return { kind: 'appended', ...decision.last };
      case 'append': {
        for (const event of request.events) this.#insert(request.stream, stream, event, now);
        const position = request.events.length === 0 ? null : this.#head;
        return { kind: 'appended', revision: stream.revision, position };
      }
    }
  }

  #insert(
    name: string,
    stream: StreamHead,
    proposed: AppendRequest['events'][number],
    now: number,
  ): void {
    this.#write(stream, {
      ...proposed,
      id: idBytes(proposed.id),
      stream: name,
      position: this.#head + 1,
      revision: stream.revision + 1,
      created: now,
    });
  }

  #write(stream: StreamHead, event: StoredEvent): void {
    if (stream.number === NO_STREAM) {
      stream.number = Number(this.#statements.insertStream.run(event.stream).lastInsertRowid);
    }
    this.#statements.insertEvent.run(
      event.position,
      stream.number,
      event.revision,
      event.id,
      event.type,
      event.contentType,
      event.created,
      rowChecksum(event),
      event.metadata,
      event.data,
    );
    this.#recent.add(recentKey(event.id), event.position);
    this.#head = event.position;
    stream.revision = event.revision;
  }

  #streamHead(name: string): StreamHead {
    const cached = this.#heads.get(name);
    if (cached !== undefined) return cached;
    const row = this.#statements.streamHead.get(name);
    const head =
      row === undefined
        ? { number: NO_STREAM, revision: NO_STREAM }
        : { number: Number(row.number), revision: Number(row.revision) };
    this.#heads.set(name, head);
    return head;
  }

  #find(stream: number, id: string, revision: number | null): KnownEvent | null {
    const bytes = idBytes(id);
    const { findByPosition, findByRevision } = this.#statements;
    if (revision !== null) return asKnownEvent(findByRevision.get(stream, revision, bytes));
    const position = this.#recent.find(recentKey(bytes));
    return position === null ? null : asKnownEvent(findByPosition.get(position, stream));
  }
}

function asKnownEvent(row: Record<string, unknown> | undefined): KnownEvent | null {
  if (row === undefined) return null;
  return { revision: Number(row.revision), position: Number(row.position) };
}

function prepareStatements(
  db: DatabaseSync,
): Record<
  'insertStream' | 'insertEvent' | 'streamHead' | 'newestIds' | 'findByPosition' | 'findByRevision',
  StatementSync
> {
  return {
    insertStream: db.prepare('INSERT INTO stream (name) VALUES (?)'),
    insertEvent: db.prepare(`INSERT INTO event (position, stream, revision, id, type, content_type,
      created, checksum, metadata, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    streamHead: db.prepare(`SELECT s.number,
      coalesce((SELECT max(revision) FROM event WHERE stream = s.number), -1) AS revision
      FROM stream s WHERE s.name = ?`),
    newestIds: db.prepare('SELECT position, id FROM event WHERE position > ? ORDER BY position'),
    findByPosition: db.prepare(`SELECT revision, position FROM event
      WHERE position = ? AND stream = ?`),
    findByRevision: db.prepare(`SELECT revision, position FROM event
      WHERE stream = ? AND revision = ? AND id = ?`),
  };
}

function idBytes(id: string): Uint8Array {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** Between one and two times as many ids are remembered. */
const GENERATION_IDS = 65_536;

/**
 * Positions of the newest events by their ids, for repeated appends without a revision. As in
 * EventStoreDB only recent ones are known (appends with a revision are compared with stored events,
 * however old): an index of all ids would cost each append a random page, a quarter of the speed.
 */
export class RecentIds {
  #current = new Map<string, number>();
  #previous = new Map<string, number>();

  /** `key` is the id's sixteen bytes as a latin1 string, the smallest key of a Map. */
  add(key: string, position: number): void {
    if (this.#current.size >= GENERATION_IDS) {
      this.#previous = this.#current;
      this.#current = new Map();
    }
    this.#current.set(key, position);
  }

  /** The position of the newest event with the id, or null. */
  find(key: string): number | null {
    return this.#current.get(key) ?? this.#previous.get(key) ?? null;
  }
}

function recentKey(id: Uint8Array): string {
  return Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('latin1');
}
