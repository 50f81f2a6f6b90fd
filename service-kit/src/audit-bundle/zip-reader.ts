import { crc32, inflated, openSource } from '../platform/node.ts';
import type { ByteSource, SourceFile } from '../platform/platform.ts';
import { exactly, quoted, readDirectory, type ZipEntry } from './zip-directory.ts';
import { checkLayout } from './zip-layout-faults.ts';

/** The file cannot be read as a bundle; the message says why. */
export class UnreadableBundle extends Error {}

/** An opened archive. Only requested parts are read, one piece at a time. */
export type OpenBundle = {
  readonly names: readonly string[];
  /**
   * Sentences about bytes of the archive that none of its files explains, and about wrong checksums
   * of files that were read.
   */
  readonly faults: readonly string[];
  /** Throws UnreadableBundle in the middle where the archive is damaged. */
  read(name: string): AsyncIterable<Buffer>;
  [Symbol.dispose](): void;
};

const ENTRIES_MAX = 100;
const STORED = 0;
const DEFLATED = 8;

export async function openBundle(file: SourceFile, entriesMax = ENTRIES_MAX): Promise<OpenBundle> {
  const source = await openSource(file).catch((error) => {
    throw unreadable(error);
  });
  try {
    const directory = await readDirectory(source, entriesMax);
    const layout = await checkLayout(source, directory);
    // A header and the directory often have the same extra field.
    const faults = [...new Set([...directory.faults, ...layout.faults])];
    const report = (fault: string) => {
      if (!faults.includes(fault)) faults.push(fault);
    };
    const entries = new Map(directory.entries.map((entry) => [entry.name, entry]));
    return {
      names: directory.entries.map(({ name }) => name),
      faults,
      async *read(name) {
        const entry = entries.get(name);
        if (!entry) return;
        try {
          yield* contentsOf(source, entry, { start: layout.starts.get(entry) ?? 0, report });
        } catch (error) {
          throw unreadable(error, name);
        }
      },
      [Symbol.dispose]: () => source[Symbol.dispose](),
    };
  } catch (error) {
    source[Symbol.dispose]();
    throw unreadable(error);
  }
}

async function* contentsOf(
  source: ByteSource,
  { name, method, bytes, compressedBytes, crc32: expected }: ZipEntry,
  { start, report }: { readonly start: number; readonly report: (fault: string) => void },
): AsyncGenerator<Buffer> {
  if (method !== STORED && method !== DEFLATED) {
    throw new Error(`${quoted(name)} is compressed in another way than deflate`);
  }
  const stored = piecesOf(source, start, start + compressedBytes);
  let length = 0;
  let sum = 0;
  for await (const piece of method === STORED ? stored : inflated(stored)) {
    length += piece.length;
    if (length > bytes) break;
    sum = crc32(piece, sum);
    yield piece;
  }
  if (length !== bytes) throw new Error('it has another length than the directory says');
  if (sum !== expected) report(`${quoted(name)} has another checksum than the ZIP file says.`);
}

const PIECE_BYTES = 256 * 1024;

/** The bytes of a file in their order. */
export async function* piecesOf(
  source: ByteSource,
  from = 0,
  to = source.bytes,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; at += PIECE_BYTES) {
    yield await exactly(source, at, Math.min(to, at + PIECE_BYTES));
  }
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
  const { code } = error as { code?: unknown };
  if (code === 'ENOENT') return new UnreadableBundle('There is no such file.');
  if (code === 'EISDIR') return new UnreadableBundle('This is a folder, not a file.');
  if (typeof code === 'string') {
    return new UnreadableBundle(`The file can't be read (${code}).`);
  }
  const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
  return new UnreadableBundle(
    name === undefined
      ? `This is no ZIP file, or one that was cut off or damaged (${reason}).`
      : `${name} can't be read: the ZIP file is damaged (${reason}).`,
  );
}
