import { DatabaseSync } from 'node:sqlite';
import { databasePath } from './database.ts';

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
