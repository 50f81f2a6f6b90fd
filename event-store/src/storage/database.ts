import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { asDamage, DamagedStoreError } from './faults.ts';

/** Marks the file as an event store ("tlyh"), whatever its name. */
const APPLICATION_ID = 0x746c7968;
const FORMAT_VERSION = 1;
const WAL_BYTES_KEPT_MAX = 16 * 1024 * 1024;

/** Events are rows in the order of their positions; the index finds those of one stream. */
const SCHEMA = `
  CREATE TABLE stream (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE event (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    id BLOB NOT NULL,
    type TEXT NOT NULL,
    content_type TEXT NOT NULL,
    created INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    metadata BLOB NOT NULL,
    data BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX event_by_stream ON event (stream, revision);
  CREATE TABLE writable_probe (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    at INTEGER NOT NULL
  ) STRICT;
`;
const SCHEMA_OBJECTS = 4;

export function databasePath(dataDir: string): string {
  return join(dataDir, 'events.db');
}

/** Opens the database for the one writer, and makes it when the folder is new. */
export function openForWriting(dataDir: string): DatabaseSync {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const db = new DatabaseSync(databasePath(dataDir), { timeout: 2_000 });
  return closingOnFailure(db, () => {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON');
    db.exec(`PRAGMA journal_size_limit = ${WAL_BYTES_KEPT_MAX}; PRAGMA cache_size = -8000`);
    if (readPragma(db, 'user_version') === 0 && countObjects(db) === 0) {
      db.exec(`BEGIN IMMEDIATE; ${SCHEMA}
        PRAGMA application_id = ${APPLICATION_ID};
        PRAGMA user_version = ${FORMAT_VERSION};
        COMMIT`);
    }
    checkFormat(db);
  });
}

/** Opens the database for reading only, beside a writer or without one. */
export function openForReading(dataDir: string): DatabaseSync {
  const db = new DatabaseSync(databasePath(dataDir), { readOnly: true, timeout: 2_000 });
  return closingOnFailure(db, () => {
    db.exec('PRAGMA cache_size = -8000');
    checkFormat(db);
  });
}

function closingOnFailure(db: DatabaseSync, prepare: () => void): DatabaseSync {
  try {
    prepare();
    return db;
  } catch (error) {
    db.close();
    throw asDamage(error);
  }
}

function checkFormat(db: DatabaseSync): void {
  if (readPragma(db, 'application_id') !== APPLICATION_ID) {
    throw new DamagedStoreError('events.db is not a database of this event store');
  }
  const version = readPragma(db, 'user_version');
  if (version !== FORMAT_VERSION) {
    throw new Error(`events.db has format ${version}, this version reads format ${FORMAT_VERSION}`);
  }
  if (countObjects(db) !== SCHEMA_OBJECTS) {
    throw new DamagedStoreError('events.db lacks a table or an index');
  }
}

function readPragma(db: DatabaseSync, name: 'user_version' | 'application_id'): unknown {
  return db.prepare(`PRAGMA ${name}`).get()?.[name];
}

function countObjects(db: DatabaseSync): number {
  const row = db.prepare('SELECT count(*) AS n FROM sqlite_schema WHERE sql IS NOT NULL').get();
  return Number(row?.n);
}
