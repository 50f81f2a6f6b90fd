import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readEarlierHead } from './earlier-head.ts';
import { auditKeyFrom } from './keys.ts';
import { signLines } from './signed-text.ts';
import { localSigner } from './signer.ts';
import {
  archiveOf,
  checkpointOf,
  type Sample,
  sampleBundle,
  sampleKey,
  sampleOrganization,
  sampleRow,
} from './testing/sample-bundle.ts';
import { verifyBundle } from './verify.ts';

const folder = mkdtempSync(join(tmpdir(), 'earlier-head-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileWith(content: string | Uint8Array): string {
  files += 1;
  const file = join(folder, String(files));
  writeFileSync(file, content);
  return file;
}
const rowsTo = (size: number, rowOf = sampleRow) =>
  Array.from({ length: size }, (_, at) => rowOf(at + 1));
const bundleFile = async (sample: Sample) => fileWith(archiveOf(await sampleBundle(sample)));
const checkpoint = await checkpointOf(rowsTo(120));
const checkpointFile = (signed: unknown = checkpoint) => fileWith(JSON.stringify(signed));

/** Row 57 is not what it was; all is signed again. */
const rewritten = (sequence: number) => {
  const row = sampleRow(sequence);
  return sequence === 57 ? { ...row, data: { ...row.data, title: 'Never happened' } } : row;
};
const isEven = (sequence: number) => sequence % 2 === 0;

async function verify(sample: Sample, earlier: string) {
  const since = await readEarlierHead(earlier);
  return verifyBundle(await bundleFile(sample), sampleKey, { since });
}

describe('an export that is compared with what an auditor kept', async () => {
  it.each<[string, () => string | Promise<string>, Sample]>([
    ['a checkpoint', () => checkpointFile(), {}],
    ['its four lines', () => fileWith(checkpoint.text), {}],
    ['an earlier export', () => bundleFile({ size: 120 }), {}],
    ['an export of the same size', () => bundleFile({}), {}],
    ['the export of an empty log', () => bundleFile({ size: 0 }), {}],
    [
      'a checkpoint that a filtered export continues from',
      () => checkpointFile(),
      { isExported: isEven, earlierSize: 120 },
    ],
  ])('passes with %s', async (_, earlier, sample) => {
    const { isWell, lines } = await verify(sample, await earlier());
    expect([isWell, lines[0]]).toEqual([true, 'The export is whole and unaltered.']);
    expect(lines.at(-1)).toMatch(/^The log begins with the \d+ rows of the earlier checkpoint\.$/);
  });

  const wasRewritten =
    'The log was rewritten: its first 120 rows are not those of the earlier checkpoint.';
  const forged = { ...checkpoint, signature: Buffer.alloc(64, 1).toString('base64') };
  const otherKey = auditKeyFrom(Buffer.alloc(32, 6).toString('base64url'));
  const signedByOther = await signLines(
    localSigner(otherKey),
    checkpoint.text.trimEnd().split('\n'),
  );
  it.each<[string, () => string | Promise<string>, Sample, readonly (string | RegExp)[]]>([
    ['a rewritten history', () => checkpointFile(), { rowOf: rewritten }, [wasRewritten]],
    [
      'a rewritten history, with its place',
      () => bundleFile({ size: 120 }),
      { rowOf: rewritten },
      [wasRewritten, 'Row 57 is the first that differs.'],
    ],
    [
      'a rewritten history with its range, where rows are left out',
      () => bundleFile({ size: 120, isExported: (sequence) => sequence > 64 }),
      { rowOf: rewritten, isExported: (sequence) => sequence > 64, earlierSize: 120 },
      [wasRewritten, 'Rows 1 to 64 are the first that differ.'],
    ],
    [
      'a second log of the same size',
      () => bundleFile({}),
      { rowOf: rewritten },
      [/^The log was rewritten: its first 300 rows/, 'Row 57 is the first that differs.'],
    ],
    [
      'a missing range at the end',
      () => checkpointFile(),
      { size: 90 },
      [/^The log had 120 rows before and has 90 here/],
    ],
    [
      'an invented earlier checkpoint',
      () => checkpointFile(),
      { rowOf: rewritten, isExported: isEven, earlierSize: 120 },
      [wasRewritten],
    ],
    [
      'rows left out around the checkpoint',
      async () => checkpointFile(await checkpointOf(rowsTo(77))),
      { isExported: () => false },
      [/^The export leaves out rows around 77/],
    ],
    ['a forged signature', () => checkpointFile(forged), {}, [/is not signed with the key/]],
    ['another key', () => checkpointFile(signedByOther), {}, [/is not signed with the key/]],
    [
      'another organization',
      () => fileWith(checkpoint.text.replace(sampleOrganization, crypto.randomUUID())),
      {},
      [/^The earlier checkpoint that you gave is of another organization/],
    ],
  ])('reports %s', async (_, earlier, sample, expected) => {
    const { isWell, lines } = await verify(sample, await earlier());
    expect(isWell).toBe(false);
    expect(lines).toEqual(
      expected.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
    );
  });

  it('reports another organization, and an old export', async () => {
    const organizationId = crypto.randomUUID();
    const expected = { organizationId, atLeast: 301 };
    const { lines } = await verifyBundle(await bundleFile({}), sampleKey, expected);
    expect(lines).toEqual([
      `The export is of organization ${sampleOrganization}, not of ${organizationId}.`,
      'The export is of 300 rows; at least 301 were expected.',
    ]);
  });
});

describe('what an auditor kept', () => {
  it.each<[string, () => string]>([
    ['a text', () => fileWith('nothing')],
    ['JSON', () => fileWith('{"size": 120}')],
    ['an archive of other files', () => fileWith(archiveOf({ 'readme.txt': Buffer.from('x') }))],
    ['half an archive', () => fileWith('PK\u0003\u0004')],
    ['no file', () => join(folder, 'none')],
    ['a folder', () => folder],
  ])('is refused as %s', async (_, file) => {
    await expect(readEarlierHead(file())).rejects.toThrow(/\.$/);
  });
});
