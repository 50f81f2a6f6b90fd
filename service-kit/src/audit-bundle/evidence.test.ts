import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../platform/node.ts';
import {
  EVIDENCE_INDEX,
  EVIDENCE_SIGNATURE,
  type EvidenceIndex,
  signEvidence,
} from './evidence.ts';
import {
  archiveOf,
  checkpointOf,
  sampleKey,
  sampleOrganization,
  sampleRow,
  sampleSigner,
} from './testing/sample-bundle.ts';
import { verifyFile } from './verify-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'evidence-'));
afterAll(() => rmSync(folder, { recursive: true }));

const readme = Buffer.from('What the files are\n');
const [one, two] = [sampleRow(1), sampleRow(2)];
const index: EvidenceIndex = {
  formatVersion: 1,
  organizationId: sampleOrganization,
  organizationName: 'Sample',
  from: '2026-10-01',
  to: '2026-10-31',
  checkpoint: await checkpointOf([one, two]),
  size: 2,
  checkedAt: null,
  differs: false,
  ledger: null,
  files: [{ name: 'README.txt', bytes: readme.length, sha256: sha256Hex(readme) }],
};

/** What the verifier says of a pack with this index, which is signed as it is. */
async function verified(changed: Partial<EvidenceIndex>) {
  const contents = Buffer.from(JSON.stringify({ ...index, ...changed }));
  const signature = await signEvidence(sampleSigner, index, contents);
  const file = join(folder, 'pack.zip');
  writeFileSync(
    file,
    archiveOf({
      'README.txt': readme,
      [EVIDENCE_INDEX]: contents,
      [EVIDENCE_SIGNATURE]: Buffer.from(JSON.stringify(signature)),
    }),
  );
  return verifyFile(file, sampleKey);
}

const WRONG_CHECKPOINT = 'The checkpoint is not that of the audit log at this size.';

describe('an evidence pack, signed with the key of the server', () => {
  it('passes when everything in it is so', async () => {
    expect(await verified({})).toMatchObject({ isWell: true });
  });

  it.each<[string, Partial<EvidenceIndex>, string]>([
    ['of another number of entries', { size: 3 }, WRONG_CHECKPOINT],
    [
      'whose checkpoint no key signed',
      { checkpoint: { ...index.checkpoint, signature: Buffer.alloc(64).toString('base64') } },
      WRONG_CHECKPOINT,
    ],
    [
      'that lacks a file',
      { files: [...index.files, { name: 'access.csv', bytes: 0, sha256: sha256Hex('') }] },
      '"access.csv" is missing.',
    ],
    [
      'with a file of another length',
      { files: index.files.map((file) => ({ ...file, bytes: 7 })) },
      'README.txt differs from the signed index.',
    ],
  ])('is refused %s', async (_, changed, line) => {
    expect(await verified(changed)).toEqual({ isWell: false, lines: [line] });
  });
});
