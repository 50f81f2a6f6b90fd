import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FolderLockedError } from './faults.ts';

/**
 * One owner per folder, by an exclusive SQLite lock on a separate file. The kernel releases it
 * however its owner dies, so there is no stale lock to clean up; SQLite also separates two owners
 * in one process. The pid file is only for the message.
 */
export class FolderLock implements Disposable {
  readonly #db: DatabaseSync;

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Throws FolderLockedError when the folder has an owner that lives. */
  static acquire(dataDir: string): FolderLock {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const pidFile = join(dataDir, 'owner.pid');
    const db = new DatabaseSync(join(dataDir, 'lock.db'), { timeout: 200 });
    try {
      db.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      db.close();
      if (!(error instanceof Error) || !error.message.includes('locked')) throw error;
      throw new FolderLockedError(`${dataDir} is in use by process ${readOwner(pidFile)}`);
    }
    writeFileSync(pidFile, `${process.pid}\n`);
    return new FolderLock(db);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

function readOwner(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim() || 'unknown';
  } catch {
    return 'unknown';
  }
}
