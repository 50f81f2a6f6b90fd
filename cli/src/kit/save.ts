import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Terminal } from './terminal.ts';

/**
 * Writes a download to stdout, or to a file that appears under its name once it is complete.
 */
export async function saveResponse(
  terminal: Terminal,
  response: Response,
  file: string | undefined,
): Promise<void> {
  const body = Readable.fromWeb(response.body as ReadableStream);
  if (file === undefined) return await pipeline(body, terminal.streams.stdout, { end: false });
  const part = `${file}.part`;
  try {
    await pipeline(body, createWriteStream(part));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  terminal.note(`Wrote ${file}.`);
}
