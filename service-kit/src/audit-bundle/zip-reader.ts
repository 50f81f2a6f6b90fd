import type { Readable } from 'node:stream';
import { type Entry, openPromise } from 'yauzl';

/** The file cannot be read as a bundle; the message says why. */
export class UnreadableBundle extends Error {}

/** An opened archive. Only requested parts are read, one piece at a time. */
export type OpenBundle = {
  readonly names: readonly string[];
  /** Throws UnreadableBundle in the middle where the archive is damaged. */
  read(name: string): AsyncIterable<Buffer>;
  [Symbol.dispose](): void;
};

const ENTRIES_MAX = 100;

export async function openBundle(file: string, entriesMax = ENTRIES_MAX): Promise<OpenBundle> {
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false }).catch((error) => {
    throw unreadable(error);
  });
  const entries = new Map<string, Entry>();
  const names: string[] = [];
  try {
    if (zip.entryCount > entriesMax) throw new Error('too many files in it');
    for await (const entry of zip.eachEntry()) {
      names.push(entry.fileName);
      entries.set(entry.fileName, entry);
    }
  } catch (error) {
    zip.close();
    throw unreadable(error);
  }
  return {
    names,
    async *read(name) {
      const entry = entries.get(name);
      if (!entry) return;
      let stream: Readable | undefined;
      try {
        stream = await zip.openReadStreamPromise(entry);
        for await (const chunk of stream) yield chunk as Buffer;
      } catch (error) {
        throw unreadable(error, name);
      } finally {
        stream?.destroy();
      }
    },
    [Symbol.dispose]: () => zip.close(),
  };
}

/** A part of an archive as a whole; null when it has more bytes than `max`, or is missing. */
export async function readWhole(
  bundle: OpenBundle,
  name: string,
  max: number,
): Promise<Buffer | null> {
  if (!bundle.names.includes(name)) return null;
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of bundle.read(name)) {
    bytes += piece.length;
    if (bytes > max) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function unreadable(error: unknown, name?: string): UnreadableBundle {
  const code = (error as NodeJS.ErrnoException)?.code;
  if (code === 'ENOENT') return new UnreadableBundle('There is no such file.');
  if (code === 'EISDIR') return new UnreadableBundle('This is a folder, not a file.');
  if (code !== undefined) return new UnreadableBundle(`The file can't be read (${code}).`);
  const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
  return new UnreadableBundle(
    name === undefined
      ? `This is no ZIP file, or one that was cut off or damaged (${reason}).`
      : `${name} can't be read: the ZIP file is damaged (${reason}).`,
  );
}
