import type { KeyObject } from 'node:crypto';
import { checkpointIn } from './checkpoint.ts';
import type { RowFault } from './compare-rows.ts';
import { publishedKey } from './keys.ts';
import { type Manifest, PROOF_FILE } from './manifest.ts';
import { rowLines } from './row-lines.ts';
import { claimFaults } from './verify-claims.ts';
import { type ContentsReport, changedFiles, readContents } from './verify-contents.ts';
import { readDocuments } from './verify-documents.ts';
import { totalsOf } from './verify-ledger-rows.ts';
import { type OpenBundle, openBundle, UnreadableBundle } from './zip-reader.ts';

export type Verification = {
  readonly isWell: boolean;
  /** A summary if everything is correct, otherwise a sentence for each fault. */
  readonly lines: readonly string[];
};

const FAULTS_TOLD_MAX = 100;

/**
 * Checks an export offline, in constant memory. Without a key it uses the one that the export
 * names, which shows that nothing was altered since, but not who made it.
 */
export async function verifyBundle(file: string, key: KeyObject | null): Promise<Verification> {
  const faults: string[] = [];
  try {
    using bundle = await openBundle(file);
    const summary = await verifyOpened(bundle, key, faults);
    if (faults.length === 0 && summary) return { isWell: true, lines: summary };
  } catch (error) {
    if (!(error instanceof UnreadableBundle)) throw error;
    faults.push(error.message);
  }
  const more = faults.length - FAULTS_TOLD_MAX;
  const told = faults.slice(0, FAULTS_TOLD_MAX);
  return { isWell: false, lines: more > 0 ? [...told, `And ${more} more.`] : told };
}

async function verifyOpened(
  bundle: OpenBundle,
  givenKey: KeyObject | null,
  faults: string[],
): Promise<string[] | null> {
  const documents = await readDocuments(bundle, givenKey, faults);
  if (!documents) return null;
  const { manifest, key, isSigned } = documents;
  const changed = await changedFiles(bundle, manifest);
  const contents = await readContents(bundle, manifest);
  const rowsFile = rowLines[manifest.format].file;
  // Where the two differ, the signature tells which one was altered.
  const isProofAtFault = isSigned && changed.has(PROOF_FILE) && !changed.has(rowsFile);
  if (!contents.isHeadingRight) faults.push(`Line 1 of ${rowsFile} was altered.`);
  for (const { line, isReadable } of contents.proof.faults) {
    const what = isReadable ? "it doesn't go on from the line before" : 'it is no line of a proof';
    faults.push(`Line ${line} of ${PROOF_FILE} was altered: ${what}.`);
  }
  const words = isProofAtFault ? proofWords : rowWords;
  faults.push(...contents.rowFaults.map((fault) => words[fault.kind](fault, rowsFile)));
  if (contents.untoldRowFaults > 0) {
    faults.push(`${contents.untoldRowFaults} more rows of ${rowsFile} differ.`);
  }
  for (const name of changed) faults.push(`${name} is not the file that was exported.`);
  if (contents.proof.faults.length === 0) faults.push(...claimFaults(manifest, key, contents));
  return summaryOf(manifest, key, givenKey !== null, contents);
}

type Words = Readonly<Record<RowFault['kind'], (fault: RowFault, rowsFile: string) => string>>;

const rowWords: Words = {
  altered: ({ sequence, rowLine }, file) =>
    `Row ${sequence} (line ${rowLine} of ${file}) was altered.`,
  unreadable: ({ sequence, rowLine }, file) =>
    `Row ${sequence} (line ${rowLine} of ${file}) was altered: it is no row any more.`,
  moved: ({ sequence, rowLine }, file) =>
    `Row ${sequence} (line ${rowLine} of ${file}) is out of its order.`,
  missing: ({ sequence, proofLine }, file) =>
    `Row ${sequence} is missing from ${file}; its hash is in line ${proofLine} of ${PROOF_FILE}.`,
  added: ({ sequence, rowLine }, file) =>
    sequence === null
      ? `Line ${rowLine} of ${file} was added: it is no row.`
      : `Row ${sequence} (line ${rowLine} of ${file}) was added: the proof has no place for it there.`,
};

const inProof = ({ sequence, rowLine, proofLine }: RowFault, rowsFile: string) => {
  const row =
    rowLine === null ? `row ${sequence}` : `row ${sequence} (line ${rowLine} of ${rowsFile})`;
  const line = proofLine === null ? '' : ` Line ${proofLine} of it was altered.`;
  return `${PROOF_FILE} does not fit ${row}.${line}`;
};
const proofWords: Words = {
  altered: inProof,
  unreadable: inProof,
  moved: inProof,
  missing: inProof,
  added: inProof,
};

function summaryOf(
  manifest: Manifest,
  key: KeyObject,
  isGiven: boolean,
  { ledger }: ContentsReport,
): string[] {
  const { rows, treeSize, firstSequence, lastSequence, filter, earlier } = manifest;
  const { opening, closing } = manifest.ledger;
  const filters = Object.entries(filter).map(([name, value]) => `${name}=${value}`);
  const [before, after] = [totalsOf(opening)[0], totalsOf(closing)[0]];
  const { keyId } = publishedKey(key);
  return [
    'The export is whole and unaltered.',
    `Organization ${manifest.organization.id}: ${rows} of the ${treeSize} rows of its audit log` +
      (rows > 0 ? `, from ${firstSequence} to ${lastSequence}` : '') +
      (filters.length > 0 ? `; filter ${filters.join(', ')}.` : '.'),
    earlier
      ? `The log goes on from its checkpoint at ${checkpointIn(earlier.checkpoint)?.size} rows.`
      : 'It names no earlier checkpoint to go on from.',
    `Ledger: debits and credits are ${before} each at row ${opening.auditSequence}, ` +
      `${after} each at row ${closing.auditSequence}; ` +
      (ledger.isWhole()
        ? 'its chain was followed.'
        : 'its chain was not followed: rows are left out.'),
    isGiven
      ? `Signed with the key ${keyId}.`
      : `Signed with the key ${keyId}, which the export itself names. Give --key to be sure whose it is.`,
  ];
}
