import { z } from 'zod';
import { openSource } from '../platform/node.ts';
import type { SourceFile } from '../platform/platform.ts';
import { type Checkpoint, checkpointIn } from './checkpoint.ts';
import { DOCUMENT_BYTES_MAX, MANIFEST_FILE, Manifest, PROOF_FILE } from './manifest.ts';
import { type ProofEntry, reachOf, readProofLine } from './pruned.ts';
import { SignedText } from './signed-text.ts';
import { fileLines } from './verify-contents.ts';
import { type OpenBundle, openBundle, readWhole } from './zip-reader.ts';

/** What an auditor kept of a log: its state at the time, and its signature where the file has one. */
export type EarlierHead = {
  readonly checkpoint: Checkpoint;
  readonly signed: SignedText | null;
  /** The export that it is from, whose proof shows which row differs. */
  readonly bundle: SourceFile | null;
};

/** The file is neither an export nor a checkpoint. */
export class UnreadableHead extends Error {}

const ZIP_START = 'PK';

/**
 * Reads an earlier export, or a checkpoint: as the API answers it, or its four lines. Throws
 * UnreadableHead, or UnreadableBundle for a damaged archive.
 */
export async function readEarlierHead(file: SourceFile): Promise<EarlierHead> {
  const start = await beginningOf(file);
  if (!start.toString('latin1').startsWith(ZIP_START)) return headIn(start.toString(), null);
  using bundle = await openBundle(file);
  const manifest = await readWhole(bundle, MANIFEST_FILE, DOCUMENT_BYTES_MAX);
  const parsed = Manifest.safeParse(jsonOf(String(manifest ?? '')));
  if (!parsed.success) throw new UnreadableHead(`${MANIFEST_FILE} is missing or no manifest.`);
  return headIn(JSON.stringify(parsed.data.checkpoint), file);
}

async function beginningOf(file: SourceFile): Promise<Buffer> {
  try {
    using source = await openSource(file);
    return await source.read(0, Math.min(source.bytes, DOCUMENT_BYTES_MAX));
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw new UnreadableHead(
      code === 'ENOENT' ? 'There is no such file.' : `It can't be read (${code}).`,
    );
  }
}

function headIn(text: string, bundle: SourceFile | null): EarlierHead {
  const { success, data } = SignedText.safeParse(jsonOf(text));
  const signed = success ? data : null;
  const checkpoint = checkpointIn(signed ?? { text });
  if (!checkpoint) throw new UnreadableHead('It is neither an export nor a checkpoint.');
  return { checkpoint, signed, bundle };
}

function jsonOf(text: string): unknown {
  try {
    return z.unknown().parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * The first rows, up to `size`, of which two exports have different hashes; null where both leave
 * out the rows that differ.
 */
export async function firstDifference(
  earlier: OpenBundle,
  later: OpenBundle,
  size: number,
): Promise<{ readonly from: number; readonly to: number } | null> {
  const [ours, theirs] = [entriesOf(earlier), entriesOf(later)];
  let [one, other] = [await ours.next(), await theirs.next()];
  while (!one.done && !other.done) {
    const [here, there] = [reachOf(one.value), reachOf(other.value)];
    if (here.from > size) return null;
    if (here.from === there.from && here.size === there.size) {
      if (one.value.hash !== other.value.hash) {
        return { from: here.from, to: here.from + here.size - 1 };
      }
    }
    const [end, otherEnd] = [here.from + here.size, there.from + there.size];
    if (end <= otherEnd) one = await ours.next();
    if (otherEnd <= end) other = await theirs.next();
  }
  return null;
}

async function* entriesOf(bundle: OpenBundle): AsyncGenerator<ProofEntry> {
  for await (const { text } of fileLines(bundle.read(PROOF_FILE))) {
    const entry = readProofLine(text?.trimEnd() ?? '');
    if (entry) yield entry;
  }
}
