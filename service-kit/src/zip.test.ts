import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Entry, fromBufferPromise, fromRandomAccessReader, RandomAccessReader } from 'yauzl';
import { type ZipLayout, type ZipPart, zipLayout, zipOf } from './zip.ts';

type Contents = Readonly<Record<string, Buffer>>;

const partsOf = (contents: Contents): ZipPart[] =>
  Object.entries(contents).map(([name, bytes]) => ({
    name,
    bytes: bytes.length,
    crc32: crc32(bytes),
  }));

const rangeOf = (layout: ZipLayout, contents: Contents, from: number, to: number) =>
  Buffer.concat(
    layout
      .readRange(from, to)
      .map((segment) =>
        segment.kind === 'bytes'
          ? segment.bytes
          : (contents[segment.name] ?? Buffer.of()).subarray(segment.from, segment.to),
      ),
  );

function archiveOf(contents: Contents): { layout: ZipLayout; whole: Buffer } {
  const layout = zipLayout(partsOf(contents));
  return { layout, whole: rangeOf(layout, contents, 0, layout.bytes) };
}

async function readArchive(archive: Buffer) {
  const zip = await fromBufferPromise(archive, { lazyEntries: true });
  const read: Record<string, Buffer> = {};
  for await (const entry of zip.eachEntry()) {
    read[entry.fileName] = await buffer(await zip.openReadStreamPromise(entry));
  }
  return read;
}

const contents = {
  'manifest.json': Buffer.from('{}\n'),
  'empty.txt': Buffer.of(),
  'events.ndjson': Buffer.from('{"a":1}\n{"b":2}\n'),
};

describe('the archive', () => {
  it('has what another program reads as the same files, in their order', async () => {
    const { layout, whole } = archiveOf(contents);
    expect(whole.length).toBe(layout.bytes);
    const read = await readArchive(whole);
    expect(Object.entries(read)).toEqual(Object.entries(contents));
  });

  it('is the same in one pass over its files', async () => {
    const files = Object.entries(contents).map(([name, bytes]) => ({ name, contents: bytes }));
    const pieces = await Array.fromAsync(zipOf(Readable.from(files)));
    expect(Buffer.concat(pieces)).toEqual(archiveOf(contents).whole);
  });

  it('has the same bytes each time', () => {
    expect(archiveOf(contents).whole).toEqual(archiveOf({ ...contents }).whole);
  });

  it('is made from any ranges as in one', () => {
    const { layout, whole } = archiveOf(contents);
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(whole.length + 9), (from, to) => {
        expect(rangeOf(layout, contents, from, to)).toEqual(
          whole.subarray(from, Math.max(from, to)),
        );
      }),
    );
  });
});

/** An archive too large for memory: its parts are zeros. */
class ZerosReader extends RandomAccessReader {
  private readonly layout: ZipLayout;
  constructor(layout: ZipLayout) {
    super();
    this.layout = layout;
  }
  override _readStreamForRange(start: number, end: number): Readable {
    const segments = this.layout.readRange(start, end);
    return Readable.from(
      segments.map((segment) =>
        segment.kind === 'bytes' ? segment.bytes : Buffer.alloc(segment.to - segment.from),
      ),
    );
  }
}

describe('an archive beyond 4 GiB', () => {
  const GIB = 2 ** 30;
  const parts = [
    { name: 'small.txt', bytes: 3, crc32: crc32(Buffer.alloc(3)) },
    { name: 'edge.txt', bytes: 4 * GIB - 1, crc32: 1 },
    { name: 'large.txt', bytes: 9 * GIB, crc32: 2 },
    { name: 'far.txt', bytes: 5, crc32: crc32(Buffer.alloc(5)) },
  ];

  it('has its sizes and offsets in 64 bits, as another program reads them', async () => {
    const layout = zipLayout(parts);
    const zip = await new Promise<Awaited<ReturnType<typeof fromBufferPromise>>>((done, fail) => {
      const options = { lazyEntries: true, autoClose: false };
      fromRandomAccessReader(new ZerosReader(layout), layout.bytes, options, (error, opened) =>
        error ? fail(error) : done(opened),
      );
    });
    const entries: Entry[] = await Array.fromAsync(zip.eachEntry());
    const sizes = entries.map(({ fileName, uncompressedSize: bytes, crc32: sum }) => ({
      name: fileName,
      bytes,
      crc32: sum,
    }));
    expect(sizes).toEqual(parts);
    for (const entry of entries.filter(({ uncompressedSize }) => uncompressedSize < 10)) {
      const read = await buffer(await zip.openReadStreamPromise(entry));
      expect(read).toEqual(Buffer.alloc(entry.uncompressedSize));
    }
    zip.close();
  });
});
