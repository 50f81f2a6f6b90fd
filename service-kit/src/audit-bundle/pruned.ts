import { z } from 'zod';
import { nodeHash } from './merkle.ts';
import { base64 } from './signed-text.ts';

const Hash = base64(32);

/** An exported row by its leaf hash, and the hash of its `revealed`. */
const RowEntry = z.strictObject({ row: z.int().min(1), hash: Hash, revealed: Hash });
/** A perfect subtree without any exported row: `size` rows from sequence `from` on. */
const SubtreeEntry = z.strictObject({
  from: z.int().min(1),
  size: z.int().refine((size) => Number.isInteger(Math.log2(size)), 'Must be a power of two'),
  hash: Hash,
});

/** A line of proof.ndjson. Its lines together are the whole tree, in order. */
export const ProofEntry = z.union([RowEntry, SubtreeEntry]);
export type ProofEntry = z.infer<typeof ProofEntry>;

/** The first sequence that an entry is about, and of how many it is. */
export const reachOf = (entry: ProofEntry) =>
  'row' in entry ? { from: entry.row, size: 1 } : { from: entry.from, size: entry.size };

type Pending = { readonly from: number; readonly size: number; readonly hash: Buffer };

/**
 * Writes a tree with some exported rows. The rows between them become the fewest possible subtrees:
 * at most two per level are held in memory.
 */
export function prunedProof(emit: (entry: ProofEntry) => void) {
  const pending: Pending[] = [];
  let sequence = 0;

  function hold(leaf: Buffer): void {
    let merged: Pending = { from: sequence, size: 1, hash: leaf };
    for (let left = pending.at(-1); left && areSiblings(left, merged); left = pending.at(-1)) {
      pending.pop();
      merged = { ...left, size: 2 * left.size, hash: nodeHash(left.hash, merged.hash) };
    }
    pending.push(merged);
  }
  function flush(): void {
    for (const { from, size, hash } of pending.splice(0)) {
      emit({ from, size, hash: hash.toString('base64') });
    }
  }
  return {
    /** Accepts the leaf hash of every sequence from 1 on; for exported rows also `revealed`. */
    add(leaf: Buffer, revealed: Buffer | null): void {
      sequence += 1;
      if (!revealed) {
        hold(leaf);
        return;
      }
      flush();
      const [hash, revealedText] = [leaf.toString('base64'), revealed.toString('base64')];
      emit({ row: sequence, hash, revealed: revealedText });
    },
    end: flush,
  };
}

const areSiblings = (left: Pending, right: Pending) =>
  left.size === right.size && (left.from - 1) % (2 * left.size) === 0;

/** The line of an entry, without its end. */
export const proofLine = (entry: ProofEntry): string => JSON.stringify(entry);

/** Reads a line; null when `prunedProof` can't have written it so. */
export function readProofLine(line: string): ProofEntry | null {
  try {
    const parsed = ProofEntry.safeParse(JSON.parse(line));
    return parsed.success && proofLine(parsed.data) === line ? parsed.data : null;
  } catch {
    return null;
  }
}
