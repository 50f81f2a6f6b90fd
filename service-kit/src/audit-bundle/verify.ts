import type { SourceFile } from '../platform/platform.ts';
import { type Checkpoint, checkpointIn } from './checkpoint.ts';
import type { RowFault } from './compare-rows.ts';
import { type Expected, expectationFaults, expectationSummary, sizesOf } from './expectations.ts';
import {
  DOCUMENT_BYTES_MAX,
  MANIFEST_FILE,
  Manifest,
  PROOF_FILE,
  SIGNATURE_FILE,
  signatureFile,
  signedLines,
} from './manifest.ts';
import { isConsistent, isIncluded } from './merkle-proofs.ts';
import type { PublicKey } from './public-key.ts';
import { rowLines } from './row-lines.ts';
import { SignedText, signatureFault } from './signed-text.ts';
import { RowTimes } from './stamps.ts';
import { type SigningKey, signingKeyOf, type TrustedKeys } from './trusted-keys.ts';
import {
  type ContentsReport,
  changedFiles,
  type ProofReport,
  readContents,
} from './verify-contents.ts';
import { balanceFaults, totalsOf } from './verify-ledger-rows.ts';
import { type OpenBundle, openBundle, readWhole, UnreadableBundle } from './zip-reader.ts';

export type Verification = {
  readonly isWell: boolean;
  /** A summary if everything is correct, otherwise a sentence for each fault. */
  readonly lines: readonly string[];
};

const FAULTS_LISTED_MAX = 100;

/**
 * Checks an export offline, in constant memory. Without trusted keys it uses the one that the export
 * names, which shows that nothing was altered since, but not who made it.
 */
export async function verifyBundle(
  file: SourceFile,
  trusted: TrustedKeys | null,
  expected: Expected = {},
): Promise<Verification> {
  const faults: string[] = [];
  try {
    using bundle = await openBundle(file);
    const summary = await verifyOpened(bundle, { trusted, expected }, faults).finally(() => {
      faults.push(...bundle.faults);
    });
    if (faults.length === 0 && summary) return { isWell: true, lines: summary };
  } catch (error) {
    if (!(error instanceof UnreadableBundle)) throw error;
    faults.push(error.message);
  }
  const more = faults.length - FAULTS_LISTED_MAX;
  const listed = faults.slice(0, FAULTS_LISTED_MAX);
  return { isWell: false, lines: more > 0 ? [...listed, `And ${more} more.`] : listed };
}

async function verifyOpened(
  bundle: OpenBundle,
  { trusted, expected }: { readonly trusted: TrustedKeys | null; readonly expected: Expected },
  faults: string[],
): Promise<string[] | null> {
  const documents = await readDocuments(bundle, trusted, faults);
  if (!documents) return null;
  const { manifest, signing, isSigned } = documents;
  const changed = await changedFiles(bundle, manifest);
  const times = expected.stamps && new RowTimes(expected.stamps);
  const contents = await readContents(bundle, manifest, {
    sizes: sizesOf(expected),
    onRow: times && ((row) => times.add(row)),
  });
  const rowsFile = rowLines[manifest.format].file;
  // Where the two differ, the signature shows which one was altered.
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
  // An altered row is reported as such.
  if (contents.rowFaults.length === 0) faults.push(...contents.texts.faults);
  for (const name of changed) faults.push(`${name} is not the file that was exported.`);
  if (contents.proof.faults.length === 0) faults.push(...claimFaults(manifest, signing, contents));
  faults.push(...(times?.faults() ?? []));
  faults.push(...(await expectationFaults(bundle, { manifest, signing, ...contents }, expected)));
  return [...summaryOf(manifest, signing, contents), ...expectationSummary(expected)];
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
  { summary }: SigningKey,
  { ledger, texts }: ContentsReport,
): string[] {
  const { rows, treeSize, firstSequence, lastSequence, filter, earlier } = manifest;
  const { opening, closing } = manifest.ledger;
  const filters = Object.entries(filter).map(([name, value]) => `${name}=${value}`);
  const [before, after] = [totalsOf(opening)[0], totalsOf(closing)[0]];
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
      chainSummary(ledger),
    texts.summary(),
    summary,
  ];
}

function chainSummary(ledger: ContentsReport['ledger']): string {
  if (!ledger.isWhole()) return 'its chain was not followed: rows are left out.';
  return ledger.unknownRow === null
    ? 'its chain was followed, and its rows come to these balances.'
    : `its chain was followed; its rows were not added up, because row ${ledger.unknownRow} is of a type that this verifier does not know.`;
}

/** False claims of the manifest, given a readable proof. */
function claimFaults(
  manifest: Manifest,
  { key, keys }: SigningKey,
  { proof, ledger, rowFaults }: ContentsReport,
): string[] {
  const faults = [...countFaults(manifest, proof), ...balanceFaults(manifest)];
  if (key.raw !== manifest.publicKey) {
    faults.push(`${MANIFEST_FILE} names another public key than the one that signed.`);
  }
  const checkpoint = checkedCheckpoint('checkpoint', manifest.checkpoint, manifest, [key], faults);
  if (checkpoint) {
    if (checkpoint.size !== manifest.treeSize) {
      faults.push(`The checkpoint is of ${checkpoint.size} rows, not of ${manifest.treeSize}.`);
    } else if (checkpoint.size !== proof.size || checkpoint.root !== proof.root) {
      faults.push(`The hashes in ${PROOF_FILE} don't come to the root that was signed.`);
    }
    faults.push(...lastRowFaults(manifest, checkpoint, proof));
    if (manifest.earlier) faults.push(...earlierFaults(manifest, [key, ...keys], checkpoint));
  }
  // An altered row is reported as such, and naturally breaks the chain.
  if (rowFaults.length === 0 && ledger.isWhole()) {
    if (!ledger.reachesClosing()) {
      faults.push("The ledger's chain does not lead from the opening balance to the closing one.");
    }
    faults.push(...ledger.postingFaults());
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
  keys: readonly PublicKey[],
  faults: string[],
): Checkpoint | null {
  if (signatureFault(keys, signed) !== null) {
    const [key] = keys.map((each) => each.keyId);
    faults.push(`The ${name} is not signed with the key ${key}.`);
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

function earlierFaults(
  manifest: Manifest,
  keys: readonly PublicKey[],
  later: Checkpoint,
): string[] {
  if (!manifest.earlier) return [];
  const { checkpoint: signed, consistencyProof } = manifest.earlier;
  const faults: string[] = [];
  const earlier = checkedCheckpoint('earlier checkpoint', signed, manifest, keys, faults);
  if (!earlier) return faults;
  const trees = { earlier: treeOf(earlier), later: treeOf(later) };
  return isConsistent(hashesOf(consistencyProof), trees)
    ? []
    : [`The log does not go on from its earlier checkpoint of ${earlier.size} rows.`];
}

const treeOf = ({ size, root }: Checkpoint) => ({ size, root: Buffer.from(root, 'base64') });
const hashesOf = (proof: readonly string[]) => proof.map((hash) => Buffer.from(hash, 'base64'));

type Documents = {
  readonly manifest: Manifest;
  readonly signing: SigningKey;
  /** Whether the manifest is the signed one. */
  readonly isSigned: boolean;
};

/**
 * Reads a bundle's documents, and checks their signatures. Null if there is nothing to check
 * against.
 */
async function readDocuments(
  bundle: OpenBundle,
  trusted: TrustedKeys | null,
  faults: string[],
): Promise<Documents | null> {
  const text = await documentOf(bundle, MANIFEST_FILE, faults);
  const manifest = text && parsed(Manifest, text);
  if (text && !manifest) faults.push(`${MANIFEST_FILE} was altered: it is no manifest any more.`);
  if (!text || !manifest) return null;
  checkNames(bundle.names, manifest, faults);
  const signing = signingKeyOf(manifest, trusted, faults);
  if (!signing) return null;
  const before = faults.length;
  const signature = await documentOf(bundle, SIGNATURE_FILE, faults);
  if (signature) checkSignature(signing.key, text, signature, faults);
  return { manifest, signing, isSigned: faults.length === before };
}

function checkSignature(key: PublicKey, manifest: Buffer, text: Buffer, faults: string[]): void {
  const signed = parsed(SignedText, text);
  if (!signed || signatureFile(signed) !== text.toString()) {
    faults.push(`${SIGNATURE_FILE} was altered: it is no signature any more.`);
    return;
  }
  const fault = signatureFault([key], signed);
  const { keyId } = key;
  if (fault === 'other-key') {
    faults.push(`${SIGNATURE_FILE} is signed with the key ${signed.keyId}, not with ${keyId}.`);
  } else if (fault === 'forged') {
    faults.push(`The signature in ${SIGNATURE_FILE} is not one of the key ${keyId}.`);
  } else if (signed.text !== `${signedLines(manifest).join('\n')}\n`) {
    faults.push(`${MANIFEST_FILE} was altered: it is not the one that was signed.`);
  }
}

function checkNames(names: readonly string[], manifest: Manifest, faults: string[]): void {
  const files = [rowLines[manifest.format].file, PROOF_FILE];
  const described = manifest.files.map(({ name }) => name);
  if (described.join() !== files.join()) {
    faults.push(`${MANIFEST_FILE} has to describe ${files.join(' and ')}, and nothing else.`);
  }
  const wanted = [MANIFEST_FILE, SIGNATURE_FILE, ...files];
  for (const name of files.filter((file) => !names.includes(file))) {
    faults.push(`${name} is missing.`);
  }
  for (const [at, name] of names.entries()) {
    if (!wanted.includes(name)) faults.push(`${JSON.stringify(name)} does not belong here.`);
    else if (names.indexOf(name) !== at) faults.push(`${name} is there twice.`);
  }
}

async function documentOf(
  bundle: OpenBundle,
  name: string,
  faults: string[],
): Promise<Buffer | null> {
  if (!bundle.names.includes(name)) {
    faults.push(`${name} is missing.`);
    return null;
  }
  const whole = await readWhole(bundle, name, DOCUMENT_BYTES_MAX);
  if (!whole) faults.push(`${name} was altered: it is far too long.`);
  return whole;
}

function parsed<T>(
  schema: { safeParse(value: unknown): { success: boolean; data?: T } },
  text: Buffer,
): T | null {
  try {
    return schema.safeParse(JSON.parse(text.toString())).data ?? null;
  } catch {
    return null;
  }
}
