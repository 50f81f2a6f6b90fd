import { z } from 'zod';
import { sha256Hex } from '../platform/node.ts';
import { checkpointIn } from './checkpoint.ts';
import { Frontier, leafHash, nodeHash, powerBelow } from './merkle.ts';
import { isIncluded } from './merkle-proofs.ts';
import { base64, SignedText } from './signed-text.ts';

const KIND = 'tallyhand audit anchor';
const NO_ANCHOR = '-';
const ANCHOR =
  /^tallyhand audit anchor\n(\d{1,15})\n(\d{1,15})\n([A-Za-z0-9+/]{43}=)\n(-|[0-9a-f]{64})\n$/;

/**
 * One text for the newest checkpoints of all organizations, which leaves the server: a tree of them
 * (RFC 6962), so that each organization can be shown that its own is in it, and no other.
 */
export type Anchor = {
  /** From 1, without gaps. */
  readonly number: number;
  /** How many checkpoints it has. */
  readonly size: number;
  readonly root: Buffer;
};

/** The text of an anchor over checkpoints; `previous` is that of the anchor before it. */
export function anchorText({ number, size, root }: Anchor, previous: string | null): string {
  const before = previous === null ? NO_ANCHOR : sha256Hex(previous);
  return [KIND, number, size, root.toString('base64'), before, ''].join('\n');
}

/** The content of an anchor's text; null if it is none. */
export function anchorIn(text: string): Anchor | null {
  const [, number, size, root] = ANCHOR.exec(text) ?? [];
  if (root === undefined) return null;
  return { number: Number(number), size: Number(size), root: Buffer.from(root, 'base64') };
}

type Text = Pick<SignedText, 'text'>;

const leafOfCheckpoint = ({ text }: Text) => leafHash(Buffer.from(text));

/** The root of a tree of checkpoints, and for each of them the proof that it is included. */
export function treeOfCheckpoints(checkpoints: readonly Text[]): {
  readonly root: Buffer;
  readonly proofs: readonly (readonly Buffer[])[];
} {
  const leaves = checkpoints.map(leafOfCheckpoint);
  const proofs: Buffer[][] = leaves.map(() => []);
  const rootOf = (from: number, to: number): Buffer => {
    const only = leaves[from];
    if (only && to - from === 1) return only;
    const middle = from + powerBelow(to - from);
    const [left, right] = [rootOf(from, middle), rootOf(middle, to)];
    for (const proof of proofs.slice(from, middle)) proof.push(right);
    for (const proof of proofs.slice(middle, to)) proof.push(left);
    return nodeHash(left, right);
  };
  return { root: leaves.length === 0 ? new Frontier().root() : rootOf(0, leaves.length), proofs };
}

/** A checkpoint that left the server: a line of the file of time-stamps. */
export const StampedCheckpoint = z.strictObject({
  checkpoint: SignedText,
  /** The text of the anchor that has it. */
  anchor: z.string(),
  /** The place of the checkpoint in the anchor's tree, from 0, and its proof (RFC 9162, 2.1.3). */
  index: z.int().min(0),
  proof: z.array(base64(32)),
  /** The time-stamp token (RFC 3161) of the anchor's text: DER as base64. */
  token: z.base64(),
  /** What the token says, for those who read the file. */
  authority: z.string(),
  stampedAt: z.iso.datetime({ precision: 3 }),
});
export type StampedCheckpoint = z.infer<typeof StampedCheckpoint>;

/** Whether the anchor has the checkpoint at this place. */
export function isAnchored({ checkpoint, anchor, index, proof }: StampedCheckpoint): boolean {
  const parsed = anchorIn(anchor);
  if (!parsed || !checkpointIn(checkpoint) || index >= parsed.size) return false;
  return isIncluded(
    proof.map((one) => Buffer.from(one, 'base64')),
    { index, size: parsed.size, leaf: leafOfCheckpoint(checkpoint), root: parsed.root },
  );
}
