import { DatabaseSync } from 'node:sqlite';
import { databasePath } from './database.ts';

/** Longer than the writer's longest transaction. */
const WAIT_MS_MAX = 10_000;

/**
 * Keeps the server that works on the folder from committing, from another process too: what comes
 * meanwhile waits, and is appended after the release. The writer waits 2 s before it takes the
 * database for broken, so hold it for much less. Ends with the process that holds it, however that
 * ends.
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
    // What it held was only read.
    this.#db.close();
  }
}
