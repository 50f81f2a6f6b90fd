import { isUtf8, sha256Pieces } from '../platform/node.ts';
import { compareRows, type ExpectedRow, type FoundRow, type RowFault } from './compare-rows.ts';
import { type Manifest, PROOF_FILE } from './manifest.ts';
import { Frontier } from './merkle.ts';
import { type ProofEntry, reachOf, readProofLine } from './pruned.ts';
import { type AuditRow, leafOf, revealedHash } from './row.ts';
import { readRow, rowLines } from './row-lines.ts';
import { LedgerFollower } from './verify-ledger-rows.ts';
import { TextsFollower } from './verify-texts.ts';
import type { OpenBundle } from './zip-reader.ts';

/** The names of the files that are not the ones that the manifest describes. */
export async function changedFiles(bundle: OpenBundle, { files }: Manifest): Promise<Set<string>> {
  const changed = new Set<string>();
  for (const { name, bytes, sha256 } of files) {
    const hash = sha256Pieces();
    let length = 0;
    for await (const piece of bundle.read(name)) {
      hash.update(piece);
      length += piece.length;
    }
    if (length !== bytes || hash.digest() !== sha256) changed.add(name);
  }
  return changed;
}

/** The results of reading the proof. */
export type ProofReport = {
  /** Lines that do not belong to a proof, or do not follow the previous line. */
  readonly faults: readonly { readonly line: number; readonly isReadable: boolean }[];
  readonly size: number;
  readonly root: string;
  readonly rows: number;
  readonly first: number | null;
  readonly last: { readonly sequence: number; readonly leaf: string } | null;
  /**
   * The roots of the first rows, for the numbers of rows that were asked. One is missing where a
   * subtree reaches beyond it.
   */
  readonly roots: ReadonlyMap<number, string>;
};

export type ContentsReport = {
  readonly rowFaults: readonly RowFault[];
  readonly untoldRowFaults: number;
  readonly isHeadingRight: boolean;
  readonly proof: ProofReport;
  readonly ledger: LedgerFollower;
  readonly texts: TextsFollower;
};

/** Reads rows and proof side by side, once. `sizes`: of which first rows the root is wanted. */
export async function readContents(
  bundle: OpenBundle,
  manifest: Manifest,
  { sizes, onRow }: { sizes: ReadonlySet<number>; onRow?: ((row: AuditRow) => void) | undefined },
): Promise<ContentsReport> {
  const proof = proofReader(bundle, sizes);
  const ledger = new LedgerFollower(manifest);
  const texts = new TextsFollower();
  const lines = rowLines[manifest.format];
  let isHeadingRight = true;

  async function* foundRows(): AsyncGenerator<FoundRow> {
    let heading = lines.heading;
    for await (const { number, text } of fileLines(bundle.read(lines.file))) {
      if (heading !== '') {
        isHeadingRight = text === heading;
        heading = '';
        continue;
      }
      const row = text === null ? null : readRow(lines, text);
      if (row) {
        ledger.add(row);
        texts.add(row);
        onRow?.(row);
      }
      yield {
        line: number,
        row: row && { sequence: row.sequence, hashes: hashesOf(leafOf(row), revealedHash(row)) },
      };
    }
    // Not even the heading is there.
    if (heading !== '') isHeadingRight = false;
  }
  const { faults, unreported } = await compareRows(foundRows(), proof.expectedRows());
  return {
    rowFaults: faults,
    untoldRowFaults: unreported,
    isHeadingRight,
    ledger,
    texts,
    proof: proof.report(),
  };
}

const hashesOf = (leaf: Buffer, revealed: Buffer) =>
  `${leaf.toString('base64')} ${revealed.toString('base64')}`;

const PROOF_FAULTS_MAX = 1_000;

function proofReader(bundle: OpenBundle, sizes: ReadonlySet<number>) {
  const tree = new Frontier();
  const roots = new Map(sizes.has(0) ? [[0, rootOf(tree)]] : []);
  const faults: { line: number; isReadable: boolean }[] = [];
  let rows = 0;
  let first: number | null = null;
  let last: ProofReport['last'] = null;

  function append(entry: ProofEntry): boolean {
    const { from, size } = reachOf(entry);
    if (from - 1 !== tree.size || tree.size % size !== 0) return false;
    tree.appendSubtree({ size, hash: Buffer.from(entry.hash, 'base64') });
    if (sizes.has(tree.size)) roots.set(tree.size, rootOf(tree));
    return true;
  }
  return {
    async *expectedRows(): AsyncGenerator<ExpectedRow> {
      for await (const { number, text } of fileLines(bundle.read(PROOF_FILE))) {
        const entry = text?.endsWith('\n') ? readProofLine(text.slice(0, -1)) : null;
        // After the first fault the tree cannot be checked, but the rows can.
        const isFault = !entry || (faults.length === 0 && !append(entry));
        if (isFault && faults.length < PROOF_FAULTS_MAX) {
          faults.push({ line: number, isReadable: entry !== null });
        }
        if (!entry || !('row' in entry)) continue;
        rows += 1;
        first ??= entry.row;
        last = { sequence: entry.row, leaf: entry.hash };
        yield { line: number, sequence: entry.row, hashes: `${entry.hash} ${entry.revealed}` };
      }
    },
    report: (): ProofReport => ({
      faults,
      size: tree.size,
      root: rootOf(tree),
      rows,
      first,
      last,
      roots,
    }),
  };
}

const rootOf = (tree: Frontier) => tree.root().toString('base64');

/** No row is as long: texts of such length are kept beside the events. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** A line of a file with its end, or null when it is too long or no UTF-8; `number` from 1. */
type FileLine = { readonly number: number; readonly text: string | null };

/** The lines of a file, piece by piece: at most one line and one piece are in memory. */
export async function* fileLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<FileLine> {
  let number = 0;
  let started: Buffer[] = [];
  let bytes = 0;

  const keep = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= LINE_BYTES_MAX) started.push(part);
    else started = [];
  };
  const finish = (): FileLine => {
    const line = Buffer.concat(started);
    const isText = bytes <= LINE_BYTES_MAX && isUtf8(line);
    [started, bytes] = [[], 0];
    number += 1;
    return { number, text: isText ? line.toString() : null };
  };
  for await (const piece of pieces) {
    let start = 0;
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, start)) {
      keep(piece.subarray(start, at + 1));
      start = at + 1;
      yield finish();
    }
    if (start < piece.length) keep(piece.subarray(start));
  }
  if (bytes > 0) yield finish();
}
