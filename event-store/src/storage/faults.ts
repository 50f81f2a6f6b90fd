/**
 * The stored events are not those that were written. `position` is that of the first damaged event.
 */
export class DamagedStoreError extends Error {
  override name = 'DamagedStoreError';
  readonly position: number | null;

  constructor(what: string, position: number | null = null) {
    super(
      position === null ? `damaged data: ${what}` : `damaged data at position ${position}: ${what}`,
    );
    this.position = position;
  }
}

/** Another process, or another server of this one, works on the folder. */
export class FolderLockedError extends Error {
  override name = 'FolderLockedError';
}

/** The last commit failed. Nothing is acknowledged until reopening and checking have succeeded. */
export class ReadOnlyError extends Error {
  override name = 'ReadOnlyError';
}

/** The server is stopping and accepts no more work. */
export class ClosingError extends Error {
  override name = 'ClosingError';
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** SQLite's error codes of broken pages count as damage, all others as faults of the disk. */
export function asDamage(error: unknown, position: number | null = null): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  const code = Number(error.errcode) & 0xff;
  const isDamage = code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
  return isDamage ? new DamagedStoreError(error.message, position) : error;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The caller's deadline had passed before the append was begun; nothing of it is stored. */
export class ExpiredError extends Error {
  override name = 'ExpiredError';
}
