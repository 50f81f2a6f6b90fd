import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { extraField, type Forged, type ForgedFile, forgedZip } from './testing/forged-zip.ts';
import { archiveOf, sampleBundle, sampleKey } from './testing/sample-bundle.ts';
import { verifyBundle } from './verify.ts';

const folder = mkdtempSync(join(tmpdir(), 'zip-layout-'));
afterAll(() => rmSync(folder, { recursive: true }));

const contents = await sampleBundle({ size: 40 });
const files: readonly ForgedFile[] = Object.entries(contents).map(([name, data]) => ({
  name,
  data,
}));
const compressed = files.map((file) => ({
  ...file,
  plain: file.data,
  data: deflateRawSync(file.data),
  method: 8,
}));
const JUNK = Buffer.from('hidden');

let count = 0;
async function verify(archive: Uint8Array) {
  count += 1;
  const file = join(folder, `${count}.zip`);
  writeFileSync(file, archive);
  const { isWell, lines } = await verifyBundle(file, sampleKey);
  return isWell ? [] : lines;
}

const withFile = (at: number, change: Partial<ForgedFile>, of = files): Forged => ({
  files: of.map((file, index) => (index === at ? { ...file, ...change } : file)),
});

/** Where a file's header begins in an archive without anything else. */
const startOf = (index: number) =>
  files.slice(0, index).reduce((sum, { name, data }) => sum + 30 + name.length + data.length, 0);
const directoryStart = startOf(files.length);
const length = archiveOf(contents).length;

describe('an archive with bytes that none of its files explains', () => {
  const gap = (from: number, bytes: number) =>
    `Bytes ${from} to ${from + bytes - 1} of the ZIP file belong to none of its files.`;
  const time = extraField(0x5455, Buffer.from([1, 0, 0, 0, 0]));

  it.each<[string, Forged, string]>([
    ['before the first file', withFile(0, { before: JUNK }), gap(0, 6)],
    ['between two files', withFile(2, { before: JUNK }), gap(startOf(2), 6)],
    ['before the directory', { files, beforeDirectory: JUNK }, gap(directoryStart, 6)],
    ['behind the directory', { files, behindDirectory: JUNK }, gap(length - 22, 6)],
    ['behind its end', { files, behind: JUNK }, gap(length, 6)],
    [
      'in its comment',
      { files, comment: 'hidden' },
      `The ZIP file has a comment (at byte ${length}).`,
    ],
    [
      'in the comment of a file',
      withFile(1, { comment: 'hidden' }),
      'The ZIP file has a comment on manifest.sig (at byte ',
    ],
    [
      'in a file that the directory leaves out',
      { files: [...files, { name: 'evil.txt', data: JUNK, isHidden: true }] },
      gap(directoryStart, 30 + 'evil.txt'.length + JUNK.length),
    ],
    [
      'in an extra field of a header',
      withFile(2, { localExtra: extraField(0x7075, JUNK) }),
      'events.ndjson has data in an extra field of the ZIP file (7075), which no file needs.',
    ],
    [
      'in an extra field of the directory',
      withFile(2, { extra: extraField(0x7075, JUNK) }),
      'events.ndjson has data in an extra field of the ZIP file (7075), which no file needs.',
    ],
    [
      'in a time that is longer than one',
      withFile(2, { extra: extraField(0x5455, JUNK) }),
      'events.ndjson has data in an extra field of the ZIP file (5455), which no file needs.',
    ],
    [
      'in an extra field that is there twice',
      withFile(2, { extra: Buffer.concat([time, time]) }),
      'events.ndjson has data in an extra field of the ZIP file (5455), which no file needs.',
    ],
    [
      'in an extra field for large files that are not',
      withFile(2, { localExtra: extraField(1, Buffer.alloc(16, 'x')) }),
      'The header of events.ndjson in the ZIP file ',
    ],
    [
      'in an extra field that is cut off',
      withFile(2, { localExtra: Buffer.from('abc') }),
      'events.ndjson has data in an extra field of the ZIP file (0000), which no file needs.',
    ],
    [
      'behind the end of compressed data',
      withFile(2, { data: Buffer.concat([compressed[2]?.data ?? JUNK, JUNK]) }, compressed),
      "events.ndjson can't be read: the ZIP file is damaged (its compressed data is damaged, or other bytes follow it).",
    ],
  ])('%s is refused, with their place', async (_, forged, expected) => {
    expect(await verify(forgedZip({ files }))).toEqual([]);
    expect(await verify(forgedZip(forged))).toContainEqual(expect.stringContaining(expected));
  });

  it.each<[string, Forged, string]>([
    ['another name', withFile(2, { localName: 'events.ndjsoN' }), 'The header of events.ndjson'],
    ['another checksum', withFile(2, { localCrc32: 7 }), 'The header of events.ndjson'],
    [
      'a checksum that is not one of its content',
      withFile(2, { crc32: 7 }),
      'events.ndjson has another checksum than the ZIP file says.',
    ],
    ['the place of another file', withFile(1, { offset: 0 }), 'manifest.sig overlaps another file'],
    [
      'more bytes than there are',
      withFile(2, { plain: Buffer.alloc(1_000_000) }, compressed),
      "events.ndjson can't be read: the ZIP file is damaged",
    ],
    ['no header', withFile(2, { offset: 3 }), 'This is no ZIP file, or one that was cut off'],
    ['an unknown compression', withFile(2, { method: 12 }), "events.ndjson can't be read"],
  ])('is refused where the directory says %s', async (_, forged, expected) => {
    expect(await verify(forgedZip(forged))).toContainEqual(expect.stringContaining(expected));
  });

  it('is refused wherever a byte is put in', async () => {
    const archive = archiveOf(contents);
    await fc.assert(
      fc.asyncProperty(fc.nat(archive.length), fc.nat(255), async (at, byte) => {
        const forged = Buffer.concat([
          archive.subarray(0, at),
          Buffer.of(byte),
          archive.subarray(at),
        ]);
        // The same byte as the one beside it makes the same archive, and is somewhere else.
        expect(await verify(forged)).not.toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('an archive that another program packed', () => {
  const repacked = (name: string, pack: (place: string, names: readonly string[]) => void) => {
    const place = mkdtempSync(join(folder, 'repacked-'));
    mkdirSync(place, { recursive: true });
    for (const [file, data] of Object.entries(contents)) writeFileSync(join(place, file), data);
    pack(place, Object.keys(contents));
    return verifyBundle(join(place, name), sampleKey);
  };
  const PYTHON = `
import sys, zipfile
class Pipe:
    def __init__(self, file): self.file = file
    def write(self, data): return self.file.write(data)
    def flush(self): self.file.flush()
kind, *names = sys.argv[1:]
method = zipfile.ZIP_STORED if kind == "stored" else zipfile.ZIP_DEFLATED
with open("out.zip", "wb") as file:
    with zipfile.ZipFile(Pipe(file) if kind == "piped" else file, "w", method) as archive:
        for name in names: archive.write(name)
`;
  const has = (program: string) => spawnSync(program, ['--help']).error === undefined;

  it.each(['stored', 'compressed', 'piped'])(
    'by Python, %s, is still the same export',
    async (kind) => {
      const pack = (cwd: string, names: readonly string[]) =>
        execFileSync('python3', ['-c', PYTHON, kind, ...names], { cwd });
      expect(await repacked('out.zip', pack)).toMatchObject({ isWell: true });
    },
  );

  it.runIf(has('zip'))('by Info-ZIP is still the same export', async () => {
    const pack = (cwd: string, names: readonly string[]) =>
      execFileSync('zip', ['-q', 'out.zip', ...names], { cwd });
    expect(await repacked('out.zip', pack)).toMatchObject({ isWell: true });
  });

  it.runIf(has('jar'))('by Java is still the same export', async () => {
    const pack = (cwd: string, names: readonly string[]) =>
      execFileSync('jar', ['--create', '--no-manifest', '--file', 'out.zip', ...names], { cwd });
    expect(await repacked('out.zip', pack)).toMatchObject({ isWell: true });
  });

  it('in another order and compressed, is still the same export', async () => {
    expect(await verify(forgedZip({ files: compressed.toReversed() }))).toEqual([]);
  });
});
