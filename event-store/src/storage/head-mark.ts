import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { DamagedStoreError, messageOf } from './faults.ts';

/**
 * The position of the last acknowledged event, in a file beside the database, written after each
 * commit and never synced. SQLite mistakes a damaged log for a torn tail and silently drops the
 * rest; a mark ahead of the database shows that acknowledged events are missing. After a power loss
 * the mark may be old, which is harmless: it is never ahead of synced data.
 */
export class HeadMark implements Disposable {
  readonly #file: number;

  constructor(dataDir: string) {
    // Not 'w': the mark of the last run stays until the next one is written.
    this.#file = openSync(markPath(dataDir), 'a+');
    closeSync(this.#file);
    this.#file = openSync(markPath(dataDir), 'r+');
  }

  write(position: number): void {
    writeSync(this.#file, encodeMark(position), 0);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** Throws DamagedStoreError when acknowledged events are missing at the end of the database. */
export function checkHeadMark(dataDir: string, head: number): void {
  const mark = readMark(dataDir);
  if (mark === null || mark <= head) return;
  throw new DamagedStoreError(
    `events up to position ${mark} were acknowledged, the database ends at ${head}; ` +
      `restore a backup, or accept the loss by removing ${markPath(dataDir)}`,
    head + 1,
  );
}

export function encodeMark(position: number): string {
  const digits = position.toString().padStart(16, '0');
  return `${digits} ${crc32(digits).toString(16).padStart(8, '0')}\n`;
}

/** The position, or null when the text is no whole mark (none was written yet, or it was torn). */
export function decodeMark(text: string): number | null {
  const [, digits] = /^(\d{16}) [0-9a-f]{8}\n$/.exec(text) ?? [];
  return digits !== undefined && encodeMark(Number(digits)) === text ? Number(digits) : null;
}

function readMark(dataDir: string): number | null {
  try {
    return decodeMark(readFileSync(markPath(dataDir), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new Error(`the mark of the last event cannot be read: ${messageOf(error)}`);
  }
}

function markPath(dataDir: string): string {
  return join(dataDir, 'head');
}
