import { Id } from '@tallyhand/contracts/kernel/ids';
import { z } from 'zod';
import { sha256Hex } from '../platform/node.ts';
import { KeyHistory } from './key-history.ts';
import { base64, SignedText, signLines } from './signed-text.ts';
import type { AuditSigner } from './signer.ts';

export const MANIFEST_FILE = 'manifest.json';
export const SIGNATURE_FILE = 'manifest.sig';
export const PROOF_FILE = 'proof.ndjson';

/** Far more than any manifest has. */
export const DOCUMENT_BYTES_MAX = 1024 * 1024;

export const ExportFormat = z.enum(['ndjson', 'csv']);
export type ExportFormat = z.infer<typeof ExportFormat>;

const Sequence = z.int().min(1);
const Hashes = z.array(base64(32));

/** The balances of a ledger when the audit log had `auditSequence` rows. Amounts are credits. */
export const TrialBalance = z.strictObject({
  auditSequence: z.int().min(0),
  accounts: z.array(
    z.strictObject({ account: z.string(), debits: z.int().min(0), credits: z.int().min(0) }),
  ),
  /** The newest link of the ledger's chain, null while the ledger is empty. */
  head: z.strictObject({ sequence: Sequence, hash: z.hash('sha256') }).nullable(),
});
export type TrialBalance = z.infer<typeof TrialBalance>;

/** What a bundle holds and proves. It has no time of export: the same export has the same bytes. */
export const Manifest = z
  .strictObject({
    /** 1: of a release before key histories, which has none. 2: before the keys of texts. */
    formatVersion: z.literal([1, 2, 3]),
    organization: z.strictObject({ id: Id }),
    /** As requested; empty if everything is exported. */
    filter: z.record(z.string(), z.string()),
    format: ExportFormat,
    /** Of the exported rows; null when there are none. */
    firstSequence: Sequence.nullable(),
    lastSequence: Sequence.nullable(),
    /** The number of rows of the audit log, exported or not. */
    treeSize: z.int().min(0),
    rows: z.int().min(0),
    files: z.array(
      z.strictObject({ name: z.string(), bytes: z.int().min(0), sha256: z.hash('sha256') }),
    ),
    /** The 32 bytes of the signing key, for comparison with a copy from elsewhere. */
    publicKey: base64(32),
    /** Every key that has signed audit logs, up to the signing one. */
    keyHistory: KeyHistory.optional(),
    /** The audit log at `treeSize`. */
    checkpoint: SignedText,
    /** A checkpoint from before, and the proof that the log has only grown since (RFC 9162). */
    earlier: z.strictObject({ checkpoint: SignedText, consistencyProof: Hashes }).nullable(),
    /** The proof that the last exported row is in the log (RFC 9162). */
    lastRow: z.strictObject({ leaf: base64(32), inclusionProof: Hashes }).nullable(),
    ledger: z.strictObject({ opening: TrialBalance, closing: TrialBalance }),
  })
  .refine(({ formatVersion, keyHistory }) => (formatVersion === 1) === (keyHistory === undefined));
export type Manifest = z.infer<typeof Manifest>;

/** The text of manifest.json. */
export const manifestFile = (manifest: Manifest): string =>
  `${JSON.stringify(manifest, null, 2)}\n`;

/** The text that manifest.sig signs for manifest.json. */
export const signedLines = (manifest: Uint8Array): string[] => [
  'tallyhand audit export',
  sha256Hex(manifest),
];

/** The text of manifest.sig. */
export const signatureFile = (signed: SignedText): string => `${JSON.stringify(signed, null, 2)}\n`;

export const signManifest = async (signer: AuditSigner, manifest: Uint8Array): Promise<string> =>
  signatureFile(await signLines(signer, signedLines(manifest)));
