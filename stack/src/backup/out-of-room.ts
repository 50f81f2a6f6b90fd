import { statfs } from 'node:fs/promises';
import { OperatorError } from '../operator/command.ts';

/** Less is not enough: PostgreSQL extends its log by 16 MB at a time. */
const ROOM_BYTES_MIN = 20 * 1024 * 1024;

/** Error codes of the system and of PostgreSQL. */
const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', '53100']);
const SQLITE_FULL = 13;
/** The output of a failed child process. */
const WORDS = /No space left on device|disk quota exceeded/i;

/** Whether the folder's disk is nearly full. */
export async function isFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < ROOM_BYTES_MIN;
}

/**
 * Whether work on the folder failed because its disk is full: by the error, or by the disk if the
 * error does not say, as when a database was cut off.
 */
export async function isForWantOfRoom(error: unknown, folder: string): Promise<boolean> {
  if (error instanceof OperatorError) return false;
  return saysSo(error) || (await isFull(folder));
}

/** Checks the whole chain of errors. */
export function saysSo(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
  if (CODES.has(code) || errcode === SQLITE_FULL || WORDS.test(error.message)) return true;
  return saysSo(error.cause) || (error instanceof SuppressedError && ofBoth(error));
}

const ofBoth = ({ error, suppressed }: SuppressedError) => saysSo(error) || saysSo(suppressed);
