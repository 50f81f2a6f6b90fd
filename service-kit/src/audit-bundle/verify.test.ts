import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { auditKeyFrom, publishedKey } from './keys.ts';
import {
  archiveOf,
  type Contents,
  sampleBundle,
  sampleKey,
  sampleOrganization,
} from './testing/sample-bundle.ts';
import { verifyBundle } from './verify.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));

const key = sampleKey;
const { keyId } = publishedKey(key);
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
  ])('%s passes, and is summed up', async (_, sample, expected) => {
    const { isWell, lines } = await verify(sampleBundle(sample));
    expect([isWell, lines[0]]).toEqual([true, 'The export is whole and unaltered.']);
    expect(lines[1]).toContain(`Organization ${sampleOrganization}: ${expected}`);
    expect(lines.at(-1)).toBe(`Signed with the key ${keyId}.`);
  });

  it('says which checkpoint it goes on from, and what the ledger came to', async () => {
    const { lines } = await verify(sampleBundle({ earlierSize: 77 }));
    expect(lines[2]).toBe('The log goes on from its checkpoint at 77 rows.');
    expect(lines[3]).toBe(
      'Ledger: debits and credits are 0 each at row 0, 2700 each at row 300; its chain was followed.',
    );
  });
});
