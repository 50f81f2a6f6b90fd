import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { auditKeyFrom, publicKeyOf } from './keys.ts';
import {
  MANIFEST_FILE,
  type Manifest,
  manifestFile,
  SIGNATURE_FILE,
  signManifest,
} from './manifest.ts';
import {
  archiveOf,
  type Contents,
  sampleBundle,
  sampleKey,
  sampleOrganization,
  sampleRow,
  sampleSigner,
  sampleTextKey,
} from './testing/sample-bundle.ts';
import { verifyBundle } from './verify.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));

const key = sampleKey;
const { keyId } = key;
const isEvenOrSmall = (sequence: number) => sequence % 2 === 0 || sequence < 20;

async function verifyFile(bytes: Uint8Array, given: typeof key | null = key) {
  const file = join(folder, 'export.zip');
  writeFileSync(file, bytes);
  return verifyBundle(file, given);
}
const verify = (contents: Contents, given?: typeof key | null) =>
  verifyFile(archiveOf(contents), given);

describe('a whole export', () => {
  it.each([
    ['of all rows', {}, '300 of the 300 rows of its audit log, from 1 to 300.'],
    ['as CSV', { format: 'csv' as const }, '300 of the 300 rows'],
    [
      'that leaves rows out',
      { isExported: isEvenOrSmall, earlierSize: 77 },
      '160 of the 300 rows of its audit log, from 1 to 300; filter kind=sample.',
    ],
    ['of no rows', { isExported: () => false }, '0 of the 300 rows of its audit log; filter'],
    ['of an empty log', { size: 0, earlierSize: 0 }, '0 of the 0 rows of its audit log.'],
    ['of one row', { size: 1 }, '1 of the 1 rows of its audit log, from 1 to 1.'],
  ])('%s passes, with a summary', async (_, sample, expected) => {
    const { isWell, lines } = await verify(await sampleBundle(sample));
    expect([isWell, lines[0]]).toEqual([true, 'The export is whole and unaltered.']);
    expect(lines[1]).toContain(`Organization ${sampleOrganization}: ${expected}`);
    expect(lines.at(-1)).toBe(`Signed with the key ${keyId}.`);
  });

  it("reports the checkpoint it continues from, and the ledger's balance", async () => {
    const { lines } = await verify(await sampleBundle({ earlierSize: 77 }));
    expect(lines[2]).toBe('The log goes on from its checkpoint at 77 rows.');
    expect(lines[3]).toBe(
      'Ledger: debits and credits are 0 each at row 0, 450 each at row 300; its chain was followed, and its rows come to these balances.',
    );
  });

  it("says when the ledger has rows that it can't add up", async () => {
    const rowOf = (sequence: number) => {
      const row = sampleRow(sequence);
      return row.type === 'CreditsGranted' ? { ...row, type: 'CreditsGiftedLater' } : row;
    };
    const { isWell, lines } = await verify(await sampleBundle({ rowOf }));
    expect([isWell, lines[3]]).toEqual([
      true,
      expect.stringContaining('because row 5 is of a type'),
    ]);
  });
});

describe('a trial balance that was invented, and signed', () => {
  it('is reported by its account', async () => {
    const whole = await sampleBundle();
    const manifest: Manifest = JSON.parse(String(whole[MANIFEST_FILE]));
    const { closing } = manifest.ledger;
    const accounts = closing.accounts.map((one) => ({
      ...one,
      debits: one.debits && one.debits + 7,
      credits: one.credits && one.credits + 7,
    }));
    const invented = Buffer.from(
      manifestFile({
        ...manifest,
        ledger: { ...manifest.ledger, closing: { ...closing, accounts } },
      }),
    );
    const { isWell, lines } = await verify({
      ...whole,
      [MANIFEST_FILE]: invented,
      [SIGNATURE_FILE]: Buffer.from(await signManifest(sampleSigner, invented)),
    });
    expect([isWell, lines]).toEqual([
      false,
      [
        'The account promotion has 457 in debits and 0 in credits in the closing trial balance, but its rows come to 450 and 0.',
        'The account available has 0 in debits and 457 in credits in the closing trial balance, but its rows come to 0 and 450.',
      ],
    ]);
  });
});

describe('a plain text that was invented, and signed', () => {
  it.each([
    ['with the key of the true one', { text: 'Eve', key: sampleTextKey(22) }, 'is not what was'],
    ['without a key', 'Eve', 'has no key'],
  ])('is reported by its row %s', async (_, invented, what) => {
    const rowOf = (sequence: number) => {
      const row = sampleRow(sequence);
      return sequence === 22 ? { ...row, revealed: { 'data.username': invented } } : row;
    };
    const { isWell, lines } = await verify(await sampleBundle({ rowOf }));
    expect([isWell, lines]).toEqual([
      false,
      [expect.stringContaining(`Row 22: the text of "data.username" ${what}`)],
    ]);
  });
});

describe('an export that was altered', async () => {
  const whole = await sampleBundle({ isExported: isEvenOrSmall, earlierSize: 77 });
  const lines = String(whole['events.ndjson']).split(/(?<=\n)/);
  const withRows = (changed: readonly string[]) =>
    verify({ ...whole, 'events.ndjson': Buffer.from(changed.join('')) });

  it.each<[string, readonly string[], string]>([
    [
      'changed',
      lines.with(20, (lines[20] ?? '').replace('=call-22', '=call-99')),
      'Row 22 (line 21 of events.ndjson) was altered.',
    ],
    [
      'revealed as another',
      lines.with(20, (lines[20] ?? '').replace(/"revealed":\{.*?\}\}/, '"revealed":{}')),
      'Row 22 (line 21 of events.ndjson) was altered.',
    ],
    [
      'no JSON',
      lines.with(20, 'x\n'),
      'Row 22 (line 21 of events.ndjson) was altered: it is no row any more.',
    ],
    [
      'written in another way',
      lines.with(20, (lines[20] ?? '').replace(',', ', ')),
      'Row 22 (line 21 of events.ndjson) was altered: it is no row any more.',
    ],
    [
      'missing',
      lines.toSpliced(20, 1),
      'Row 22 is missing from events.ndjson; its hash is in line 22 of proof.ndjson.',
    ],
    [
      'out of its place',
      [...lines.toSpliced(20, 1), lines[20] ?? ''],
      'Row 22 (line 160 of events.ndjson) is out of its order.',
    ],
    [
      'there twice',
      lines.toSpliced(30, 0, lines[20] ?? ''),
      'Row 22 (line 31 of events.ndjson) was added: the proof has no place for it there.',
    ],
    [
      'a blank line',
      lines.toSpliced(30, 0, '\n'),
      'Line 31 of events.ndjson was added: it is no row.',
    ],
  ])('is reported by sequence and line when a row is %s', async (_, changed, reported) => {
    expect(await withRows(changed)).toEqual({
      isWell: false,
      lines: [reported, 'events.ndjson is not the file that was exported.'],
    });
  });

  it('is summarized when much is missing', async () => {
    const { lines: reported } = await withRows([]);
    expect(reported).toHaveLength(101);
    expect(reported.at(-1)).toBe('And 61 more.');
  });

  it('is reported as another heading', async () => {
    const csv = await sampleBundle({ size: 9, format: 'csv' });
    const text = String(csv['events.csv']).replace('sequence', 'number');
    expect((await verify({ ...csv, 'events.csv': Buffer.from(text) })).lines).toEqual([
      'Line 1 of events.csv was altered.',
      'events.csv is not the file that was exported.',
    ]);
  });

  it('is reported as a proof of another export', async () => {
    const text = String(whole['proof.ndjson']).replace(/"row":3,"hash":"../, '"row":3,"hash":"00');
    expect((await verify({ ...whole, 'proof.ndjson': Buffer.from(text) })).lines).toEqual([
      'proof.ndjson does not fit row 3 (line 3 of events.ndjson). Line 3 of it was altered.',
      'proof.ndjson is not the file that was exported.',
      "The hashes in proof.ndjson don't come to the root that was signed.",
    ]);
  });

  it('is reported as missing, duplicate or unknown files', async () => {
    const { 'proof.ndjson': proof, ...others } = whole;
    const { lines: reported } = await verify({ ...others, '../evil.txt': proof ?? Buffer.of() });
    expect(reported).toContain('"../evil.txt" does not belong here.');
    expect(
      (await verify({ ...others, 'evil.txt': proof ?? Buffer.of() })).lines.slice(0, 2),
    ).toEqual(['proof.ndjson is missing.', '"evil.txt" does not belong here.']);
    const doubled = archiveOf({ ...whole, 'proof.ndjsox': proof ?? Buffer.of() });
    for (let at = doubled.indexOf('ndjsox'); at !== -1; at = doubled.indexOf('ndjsox', at)) {
      doubled.write('ndjson', at);
    }
    expect((await verifyFile(doubled)).lines).toEqual(['proof.ndjson is there twice.']);
    const { 'manifest.sig': _, ...unsigned } = whole;
    expect((await verify(unsigned)).lines).toEqual(['manifest.sig is missing.']);
    const { 'manifest.json': __, ...unnamed } = whole;
    expect((await verify(unnamed)).lines).toEqual(['manifest.json is missing.']);
  });
});

describe('the key', async () => {
  const other = publicKeyOf(auditKeyFrom(Buffer.alloc(32, 6).toString('base64url')));
  const whole = await sampleBundle({ size: 20 });

  it('must be the one that signed', async () => {
    expect((await verify(whole, other)).lines[0]).toBe(
      `manifest.sig is signed with the key ${keyId}, not with ${other.keyId}.`,
    );
  });

  it('is the one that the export names when none is given, and the report mentions it', async () => {
    const { isWell, lines } = await verify(whole, null);
    expect([isWell, lines.at(-1)]).toEqual([
      true,
      expect.stringContaining('Give --key to be sure'),
    ]);
  });
});

describe('a file that is no export', async () => {
  const whole = archiveOf(await sampleBundle({ size: 20 }));
  it.each<[string, Uint8Array]>([
    ['empty', Buffer.of()],
    ['of zeros', Buffer.alloc(10_000)],
    ['text', Buffer.from('sequence,at\r\n')],
    ['cut off', whole.subarray(0, 5_000)],
  ])('is reported in one sentence when it is %s', async (_, bytes) => {
    const { isWell, lines } = await verifyFile(bytes);
    expect([isWell, lines]).toEqual([
      false,
      [expect.stringMatching(/^This is no ZIP file, or one/)],
    ]);
  });

  it('is reported when it is another archive, missing, or a folder', async () => {
    expect((await verify({ 'a.txt': Buffer.from('a') })).lines).toEqual([
      'manifest.json is missing.',
    ]);
    expect((await verifyBundle(join(folder, 'none.zip'), key)).lines).toEqual([
      'There is no such file.',
    ]);
    expect((await verifyBundle(folder, key)).lines).toEqual(['This is a folder, not a file.']);
  });
});
