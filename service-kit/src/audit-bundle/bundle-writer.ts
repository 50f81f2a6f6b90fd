import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ZipPart } from '../zip.ts';
import { type Checkpoint, checkpointIn, signCheckpoint } from './checkpoint.ts';
import type { KeyHistory } from './key-history.ts';
import {
  type ExportFormat,
  MANIFEST_FILE,
  type Manifest,
  manifestFile,
  PROOF_FILE,
  SIGNATURE_FILE,
  signManifest,
} from './manifest.ts';
import { Frontier } from './merkle.ts';
import { consistencyProof, inclusionProof, type ProofCollector } from './merkle-proofs.ts';
import { proofLine, prunedProof } from './pruned.ts';
import { type AuditRow, revealedHash } from './row.ts';
import { rowLines } from './row-lines.ts';
import type { SignedText } from './signed-text.ts';
import type { AuditSigner } from './signer.ts';

export type BundleRequest = {
  readonly signer: AuditSigner;
  /** Ends with the signer's key. */
  readonly keyHistory: KeyHistory;
  readonly organizationId: string;
  readonly filter: Manifest['filter'];
  readonly format: ExportFormat;
  /** The number of rows that the audit log has, exported or not. */
  readonly treeSize: number;
  /** The sequence of the last row that is exported, which has to be known beforehand; or null. */
  readonly lastSequence: number | null;
  /** A checkpoint of the same log, at `treeSize` or before, or its size to have it signed; or null. */
  readonly earlier: SignedText | number | null;
};

/** What has been written to both files since they were last drained. */
export type Written = { readonly rows: Buffer; readonly proof: Buffer };

export type FinishedBundle = Written & {
  readonly manifest: Buffer;
  readonly signature: Buffer;
  /** All four files in their order in the archive. */
  readonly parts: readonly ZipPart[];
};

/**
 * Writes a bundle in one pass over the leaf hashes of the audit log, in constant memory as long as
 * the output is drained. The same rows and request give the same bytes.
 */
export function bundleWriter(request: BundleRequest) {
  const { signer, format, treeSize, lastSequence, earlier } = request;
  const lines = rowLines[format];
  const rowsFile = fileWriter(lines.file);
  const proofFile = fileWriter(PROOF_FILE);
  rowsFile.write(lines.heading);
  const tree = new Frontier();
  const pruned = prunedProof((entry) => proofFile.write(`${proofLine(entry)}\n`));
  const inclusion = lastSequence === null ? null : inclusionProof(lastSequence - 1, treeSize);
  const earlierSize = earlier === null ? null : sizeOf(earlier, request);
  const consistency = earlierSize === null ? null : consistencyProof(earlierSize, treeSize);
  let continued: Checkpoint | null = null;
  const collectors = [inclusion, consistency].filter((collector) => collector !== null);
  let exported = 0;
  let firstSequence: number | null = null;
  let last: { readonly sequence: number; readonly leaf: Buffer } | null = null;

  const checkpoint = (): Checkpoint => ({
    organizationId: request.organizationId,
    size: tree.size,
    root: tree.root().toString('base64'),
  });
  async function signedEarlier(): Promise<SignedText | null> {
    if (typeof earlier !== 'number') return earlier;
    return continued && signCheckpoint(signer, continued);
  }
  function checkEnd(): void {
    if (tree.size !== treeSize) throw new Error(`The log ends at ${tree.size}, not ${treeSize}`);
    if ((last?.sequence ?? null) !== lastSequence) {
      throw new Error(`The last exported row is ${last?.sequence}, not ${lastSequence}`);
    }
  }
  return {
    /** Accepts the leaf of each sequence from 1 on, and the row if it is exported. */
    add(leaf: Buffer, row: AuditRow | null): void {
      tree.append(leaf);
      for (const collector of collectors) collector.append(leaf);
      if (tree.size === earlierSize) continued = checkpoint();
      pruned.add(leaf, row && revealedHash(row));
      if (!row) return;
      if (row.sequence !== tree.size) throw new Error(`Row ${row.sequence} came as ${tree.size}`);
      rowsFile.write(lines.lineOf(row));
      exported += 1;
      firstSequence ??= row.sequence;
      last = { sequence: row.sequence, leaf };
    },
    take: (): Written => ({ rows: rowsFile.take(), proof: proofFile.take() }),
    /**
     * The rest of both files, and the two that come last because they describe the others. Throws
     * SignerUnavailable.
     */
    async end(ledger: Manifest['ledger']): Promise<FinishedBundle> {
      checkEnd();
      pruned.end();
      const rest = { rows: rowsFile.take(), proof: proofFile.take() };
      const { organizationId, filter, keyHistory } = request;
      const earlierCheckpoint = await signedEarlier();
      const manifest = Buffer.from(
        manifestFile({
          formatVersion: 3,
          organization: { id: organizationId },
          filter,
          format,
          firstSequence,
          lastSequence,
          treeSize,
          rows: exported,
          files: [rowsFile, proofFile].map((file) => file.described()),
          publicKey: signer.publicKey.raw,
          keyHistory,
          checkpoint: await signCheckpoint(signer, checkpoint()),
          earlier: earlierCheckpoint && {
            checkpoint: earlierCheckpoint,
            consistencyProof: base64Of(consistency),
          },
          lastRow: last && {
            leaf: last.leaf.toString('base64'),
            inclusionProof: base64Of(inclusion),
          },
          ledger,
        }),
      );
      const signature = Buffer.from(await signManifest(signer, manifest));
      const parts = [
        partOf(MANIFEST_FILE, manifest),
        partOf(SIGNATURE_FILE, signature),
        ...[rowsFile, proofFile].map((file) => file.part()),
      ];
      return { ...rest, manifest, signature, parts };
    },
  };
}

function sizeOf(earlier: SignedText | number, { organizationId, treeSize }: BundleRequest) {
  if (typeof earlier === 'number') return earlier;
  const checkpoint = checkpointIn(earlier);
  if (checkpoint?.organizationId !== organizationId || checkpoint.size > treeSize) {
    throw new Error('The earlier checkpoint belongs to another audit log');
  }
  return checkpoint.size;
}

const base64Of = (collector: ProofCollector | null) =>
  (collector?.proof() ?? []).map((hash) => hash.toString('base64'));

const partOf = (name: string, contents: Buffer): ZipPart => ({
  name,
  bytes: contents.length,
  crc32: crc32(contents),
});

const PIECE_BYTES_MIN = 65_536;
/** In UTF-8, a UTF-16 unit takes at most this many bytes. */
const UNIT_BYTES_MAX = 3;

/**
 * Measures the output, and holds it until it is drained: as bytes, because strings waiting to be
 * joined would be moved to rarely collected memory.
 */
function fileWriter(name: string) {
  const sha256 = createHash('sha256');
  let waiting = Buffer.allocUnsafe(PIECE_BYTES_MIN);
  let filled = 0;
  let bytes = 0;
  let sum = 0;
  return {
    write(text: string): void {
      const needed = filled + text.length * UNIT_BYTES_MAX;
      if (needed > waiting.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, 2 * waiting.length));
        waiting.copy(larger, 0, 0, filled);
        waiting = larger;
      }
      filled += waiting.write(text, filled);
    },
    take(): Buffer {
      const taken = Buffer.from(waiting.subarray(0, filled));
      filled = 0;
      sha256.update(taken);
      sum = crc32(taken, sum);
      bytes += taken.length;
      return taken;
    },
    described: () => ({ name, bytes, sha256: sha256.copy().digest('hex') }),
    part: (): ZipPart => ({ name, bytes, crc32: sum }),
  };
}
