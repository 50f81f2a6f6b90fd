import type { KeyObject } from 'node:crypto';
import { type Checkpoint, checkpointIn } from './checkpoint.ts';
import { publishedKey } from './keys.ts';
import { MANIFEST_FILE, type Manifest, PROOF_FILE } from './manifest.ts';
import { isConsistent, isIncluded } from './merkle-proofs.ts';
import { type SignedText, signatureFault } from './signed-text.ts';
import type { ContentsReport, ProofReport } from './verify-contents.ts';
import { balanceFaults } from './verify-ledger-rows.ts';

/** False claims of the manifest, given a readable proof. */
export function claimFaults(
  manifest: Manifest,
  key: KeyObject,
  { proof, ledger, rowFaults }: ContentsReport,
): string[] {
  const faults = [...countFaults(manifest, proof), ...balanceFaults(manifest)];
  if (publishedKey(key).raw !== manifest.publicKey) {
    faults.push(`${MANIFEST_FILE} names another public key than the one that signed.`);
  }
  const checkpoint = checkedCheckpoint('checkpoint', manifest.checkpoint, manifest, key, faults);
  if (checkpoint) {
    if (checkpoint.size !== manifest.treeSize) {
      faults.push(`The checkpoint is of ${checkpoint.size} rows, not of ${manifest.treeSize}.`);
    } else if (checkpoint.size !== proof.size || checkpoint.root !== proof.root) {
      faults.push(`The hashes in ${PROOF_FILE} don't come to the root that was signed.`);
    }
    faults.push(...lastRowFaults(manifest, checkpoint, proof));
    if (manifest.earlier) faults.push(...earlierFaults(manifest, key, checkpoint));
  }
  // An altered row is reported as such, and naturally breaks the chain.
  if (rowFaults.length === 0 && ledger.isWhole() && !ledger.reachesClosing()) {
    faults.push("The ledger's chain does not lead from the opening balance to the closing one.");
  }
  return faults;
}

function countFaults(manifest: Manifest, { size, rows, first, last }: ProofReport): string[] {
  const claims: [what: string, claimed: number | null, found: number | null][] = [
    ['treeSize', manifest.treeSize, size],
    ['rows', manifest.rows, rows],
    ['firstSequence', manifest.firstSequence, first],
    ['lastSequence', manifest.lastSequence, last?.sequence ?? null],
  ];
  return claims
    .filter(([, claimed, found]) => claimed !== found)
    .map(
      ([what, claimed, found]) =>
        `${MANIFEST_FILE} says ${what} ${claimed}, but ${PROOF_FILE} has ${found}.`,
    );
}

function checkedCheckpoint(
  name: string,
  signed: SignedText,
  { organization }: Manifest,
  key: KeyObject,
  faults: string[],
): Checkpoint | null {
  if (signatureFault(key, signed) !== null) {
    faults.push(`The ${name} is not signed with the key ${publishedKey(key).keyId}.`);
    return null;
  }
  const checkpoint = checkpointIn(signed);
  if (!checkpoint) faults.push(`The ${name} is signed, but is none of an audit log.`);
  else if (checkpoint.organizationId !== organization.id) {
    faults.push(`The ${name} is of another organization, ${checkpoint.organizationId}.`);
    return null;
  }
  return checkpoint;
}

function lastRowFaults(
  { lastRow }: Manifest,
  { size, root }: Checkpoint,
  { last }: ProofReport,
): string[] {
  if (!lastRow && !last) return [];
  const isRight =
    lastRow &&
    last &&
    lastRow.leaf === last.leaf &&
    isIncluded(hashesOf(lastRow.inclusionProof), {
      index: last.sequence - 1,
      size,
      leaf: Buffer.from(lastRow.leaf, 'base64'),
      root: Buffer.from(root, 'base64'),
    });
  return isRight ? [] : ["The last row's proof of inclusion is wrong."];
}

function earlierFaults(manifest: Manifest, key: KeyObject, later: Checkpoint): string[] {
  if (!manifest.earlier) return [];
  const { checkpoint: signed, consistencyProof } = manifest.earlier;
  const faults: string[] = [];
  const earlier = checkedCheckpoint('earlier checkpoint', signed, manifest, key, faults);
  if (!earlier) return faults;
  const trees = { earlier: treeOf(earlier), later: treeOf(later) };
  return isConsistent(hashesOf(consistencyProof), trees)
    ? []
    : [`The log does not go on from its earlier checkpoint of ${earlier.size} rows.`];
}

const treeOf = ({ size, root }: Checkpoint) => ({ size, root: Buffer.from(root, 'base64') });
const hashesOf = (proof: readonly string[]) => proof.map((hash) => Buffer.from(hash, 'base64'));
