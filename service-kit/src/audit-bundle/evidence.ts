import { z } from 'zod';
import { sha256Hex, sha256Pieces } from '../platform/node.ts';
import type { SourceFile } from '../platform/platform.ts';
import { checkpointIn } from './checkpoint.ts';
import { historyFaults, keysOf } from './key-history.ts';
import type { PublicKey } from './public-key.ts';
import { SignedText, signatureFault, signLines, textOf } from './signed-text.ts';
import type { AuditSigner } from './signer.ts';
import { isHistory, type TrustedKeys } from './trusted-keys.ts';
import { type OpenBundle, openBundle, readWhole, UnreadableBundle } from './zip-reader.ts';

const ORIGIN = 'tallyhand evidence';
export const EVIDENCE_INDEX = 'index.json';
export const EVIDENCE_SIGNATURE = 'index.json.sig';

const DIFFERS = 'The server says that the audit log differs from its event store.';

const INDEX_BYTES_MAX = 1024 * 1024;
export const EVIDENCE_FILES_MAX = 5_000;

/** What an evidence pack contains. Its signature covers every file by its hash. */
export const EvidenceIndex = z.object({
  formatVersion: z.literal(1),
  organizationId: z.string(),
  organizationName: z.string(),
  /** The first and the last day (UTC). */
  from: z.string(),
  to: z.string(),
  /** The audit log when the pack was made. */
  checkpoint: SignedText,
  /** Number of entries of the log in the checkpoint. */
  size: z.int(),
  /** The last comparison of the log with the event store; null before the first. */
  checkedAt: z.string().nullable(),
  differs: z.boolean(),
  /** The last verification of the ledger; null before the first. */
  ledger: z
    .object({
      status: z.string(),
      finishedAt: z.string().nullable(),
      entries: z.int(),
      brokenAt: z.int().nullable(),
    })
    .nullable(),
  files: z.array(z.object({ name: z.string(), bytes: z.int(), sha256: z.string() })),
});
export type EvidenceIndex = z.infer<typeof EvidenceIndex>;

type Whose = Pick<EvidenceIndex, 'organizationId' | 'from' | 'to'>;

const linesOf = ({ organizationId, from, to }: Whose, index: Uint8Array) => [
  ORIGIN,
  organizationId,
  from,
  to,
  sha256Hex(index),
];

/** Signs the index of an evidence pack. Throws SignerUnavailable. */
export const signEvidence = (
  signer: AuditSigner,
  whose: Whose,
  index: Uint8Array,
): Promise<SignedText> => signLines(signer, linesOf(whose, index));

/** Checks an evidence pack. Of a key history, any key may have signed it. */
export async function verifyEvidence(
  file: SourceFile,
  trusted: TrustedKeys,
  { organizationId: expected }: { readonly organizationId?: string | undefined } = {},
): Promise<{ readonly lines: readonly string[]; readonly isWell: boolean }> {
  const failed = (...lines: string[]) => ({ lines, isWell: false });
  const historyFault = isHistory(trusted)
    ? historyFaults(trusted, 'the key history that you gave')
    : [];
  if (historyFault.length > 0) return failed(...historyFault);
  const keys = isHistory(trusted) ? keysOf(trusted) : [trusted];
  try {
    using bundle = await openBundle(file, EVIDENCE_FILES_MAX);
    const content = await readWhole(bundle, EVIDENCE_INDEX, INDEX_BYTES_MAX);
    const signature = await readWhole(bundle, EVIDENCE_SIGNATURE, INDEX_BYTES_MAX);
    const signed = parsed(SignedText, signature);
    const index = parsed(EvidenceIndex, content);
    if (!content || !signed || !index) return failed('The file is not an evidence pack.');
    const fault = signatureFault(keys, signed);
    if (fault === 'other-key') return failed(`You gave no key with the id ${signed.keyId}.`);
    if (fault === 'forged') return failed(`The signature is not of the key ${signed.keyId}.`);
    if (signed.text !== textOf(linesOf(index, content))) {
      return failed(`${EVIDENCE_INDEX} differs from what was signed.`);
    }
    if (expected !== undefined && expected !== index.organizationId) {
      return failed(`The pack is of organization ${index.organizationId}, not of ${expected}.`);
    }
    const names = [...index.files.map(({ name }) => name), EVIDENCE_INDEX, EVIDENCE_SIGNATURE];
    const faults = [
      ...checkpointFaults(index, keys),
      ...(await fileFaults(index, bundle)),
      ...namesFaults(bundle.names, names),
      ...bundle.faults,
    ];
    if (faults.length > 0) return failed(...faults);
    return {
      isWell: true,
      lines: [
        `The evidence pack of organization ${index.organizationId} from ${index.from} to ${index.to} is unchanged.`,
        `It was made when the audit log had ${index.size} entries.`,
        `Signed with the key ${signed.keyId}.`,
        ...(index.differs ? [DIFFERS] : []),
      ],
    };
  } catch (error) {
    if (error instanceof UnreadableBundle) return failed(error.message);
    throw error;
  }
}

function checkpointFaults(
  { checkpoint: signed, organizationId, size }: EvidenceIndex,
  keys: readonly PublicKey[],
): string[] {
  const checkpoint = checkpointIn(signed);
  const isRight =
    signatureFault(keys, signed) === null &&
    checkpoint?.organizationId === organizationId &&
    checkpoint.size === size;
  return isRight ? [] : ['The checkpoint is not that of the audit log at this size.'];
}

async function fileFaults({ files }: EvidenceIndex, bundle: OpenBundle): Promise<string[]> {
  const faults: string[] = [];
  for (const { name, bytes, sha256 } of files) {
    if (!bundle.names.includes(name)) {
      faults.push(`${JSON.stringify(name)} is missing.`);
      continue;
    }
    const hash = sha256Pieces();
    let length = 0;
    for await (const piece of bundle.read(name)) {
      hash.update(piece);
      length += piece.length;
    }
    if (length !== bytes || hash.digest() !== sha256) {
      faults.push(`${name} differs from the signed index.`);
    }
  }
  return faults;
}

/** Files that the index does not name, and names that are there twice. */
const namesFaults = (found: readonly string[], expected: readonly string[]): string[] =>
  found
    .filter((name, at) => !expected.includes(name) || found.indexOf(name) !== at)
    .map((name) => `${JSON.stringify(name)} is not a file of the pack.`);

function parsed<S extends z.ZodType>(schema: S, bytes: Buffer | null): z.infer<S> | null {
  try {
    return bytes && schema.parse(JSON.parse(bytes.toString()));
  } catch {
    return null;
  }
}
