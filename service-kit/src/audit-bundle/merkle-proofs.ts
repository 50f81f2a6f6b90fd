import { Frontier, nodeHash, powerBelow } from './merkle.ts';

/** The leaves from `from` up to but without `to`, counted from 0. */
type Range = { readonly from: number; readonly to: number };

/** Accepts all leaves of a tree in order, and keeps only the hashes of one proof. */
export class ProofCollector {
  readonly #collected: readonly (Range & { readonly subtree: Frontier })[];
  readonly #waiting: (Range & { readonly subtree: Frontier })[];
  #position = 0;

  constructor(ranges: readonly Range[]) {
    this.#collected = ranges.map((range) => ({ ...range, subtree: new Frontier() }));
    this.#waiting = this.#collected.toSorted((a, b) => b.from - a.from);
  }

  append(leaf: Buffer): void {
    const next = this.#waiting.at(-1);
    if (next && this.#position >= next.from) next.subtree.append(leaf);
    this.#position += 1;
    if (this.#position === next?.to) this.#waiting.pop();
  }

  /** The proof; throws before the last leaf that it needs. */
  proof(): Buffer[] {
    if (this.#waiting.length > 0) {
      throw new Error(`The leaves end at ${this.#position}, before the proof`);
    }
    return this.#collected.map(({ subtree }) => subtree.root());
  }
}

/** Proves that leaf `index` (from 0) is in the tree of the first `size` leaves (RFC 9162, 2.1.3.1). */
export function inclusionProof(index: number, size: number): ProofCollector {
  if (!(index >= 0 && index < size)) throw new Error(`No leaf ${index} in a tree of ${size}`);
  const ranges: Range[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + powerBelow(to - from);
    if (index < middle) {
      ranges.unshift({ from: middle, to });
      to = middle;
    } else {
      ranges.unshift({ from, to: middle });
      from = middle;
    }
  }
  return new ProofCollector(ranges);
}

/**
 * Proves that the tree of `size` leaves extends that of the first `earlier` (RFC 9162, 2.1.4.1).
 */
export function consistencyProof(earlier: number, size: number): ProofCollector {
  if (!(earlier >= 0 && earlier <= size)) throw new Error(`${earlier} is beyond ${size}`);
  const ranges: Range[] = [];
  let [from, to] = [0, earlier === 0 ? 0 : size];
  while (to > earlier) {
    const middle = from + powerBelow(to - from);
    if (earlier <= middle) {
      ranges.unshift({ from: middle, to });
      to = middle;
    } else {
      ranges.unshift({ from, to: middle });
      from = middle;
    }
  }
  // The verifier knows the earlier tree's root.
  if (from > 0) ranges.unshift({ from, to });
  return new ProofCollector(ranges);
}

type Inclusion = {
  readonly index: number;
  readonly size: number;
  readonly leaf: Buffer;
  readonly root: Buffer;
};

/** RFC 9162, 2.1.3.2. */
export function isIncluded(proof: readonly Buffer[], { index, size, leaf, root }: Inclusion) {
  if (index >= size) return false;
  let [node, last, result] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      result = nodeHash(sibling, result);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      result = nodeHash(result, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && result.equals(root);
}

type Consistency = {
  readonly earlier: { readonly size: number; readonly root: Buffer };
  readonly later: { readonly size: number; readonly root: Buffer };
};

/** RFC 9162, 2.1.4.2. Every tree extends the empty one. */
export function isConsistent(proof: readonly Buffer[], { earlier, later }: Consistency): boolean {
  if (earlier.size > later.size) return false;
  if (earlier.size === 0) return proof.length === 0 && earlier.root.equals(new Frontier().root());
  if (earlier.size === later.size) return proof.length === 0 && earlier.root.equals(later.root);
  let [node, last] = [earlier.size - 1, later.size - 1];
  while (isOdd(node)) [node, last] = [half(node), half(last)];
  // A perfect earlier tree is a node of the later one, so that its root is not repeated.
  const [start, ...rest] = node === 0 ? [earlier.root, ...proof] : proof;
  if (!start) return false;
  let [earlierRoot, laterRoot] = [start, start];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      earlierRoot = nodeHash(sibling, earlierRoot);
      laterRoot = nodeHash(sibling, laterRoot);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      laterRoot = nodeHash(laterRoot, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && earlierRoot.equals(earlier.root) && laterRoot.equals(later.root);
}

// Not by bit operations, which end at 32 bits.
const isOdd = (n: number) => n % 2 === 1;
const half = (n: number) => Math.floor(n / 2);
