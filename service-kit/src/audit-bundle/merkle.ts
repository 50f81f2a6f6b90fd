import { sha256 } from '../platform/node.ts';

/** Merkle trees as RFC 6962 and RFC 9162 define them: SHA-256, with distinct leaves and nodes. */
const HASH_BYTES = 32;

export function leafHash(data: Uint8Array): Buffer {
  const input = Buffer.allocUnsafe(1 + data.length);
  input[0] = 0;
  input.set(data, 1);
  return sha256(input);
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  const input = Buffer.allocUnsafe(1 + 2 * HASH_BYTES);
  input[0] = 1;
  input.set(left, 1);
  input.set(right, 1 + HASH_BYTES);
  return sha256(input);
}

/** A perfect subtree: its size is a power of two. */
type Subtree = { readonly size: number; readonly hash: Buffer };

/** Everything needed to extend a tree: the hashes (base64) of its perfect subtrees. */
export type FrontierState = { readonly size: number; readonly hashes: readonly string[] };

/** A tree that leaves are appended to. It holds one hash for each level, however large it is. */
export class Frontier {
  readonly #subtrees: Subtree[];
  #size: number;

  constructor(state: FrontierState = { size: 0, hashes: [] }) {
    this.#subtrees = restored(state);
    this.#size = state.size;
  }

  get size(): number {
    return this.#size;
  }

  append(leaf: Buffer): void {
    this.appendSubtree({ size: 1, hash: leaf });
  }

  /** Appends a subtree known only by its hash: `size` is a power of two that divides the tree's. */
  appendSubtree(added: Subtree): void {
    const subtrees = this.#subtrees;
    if (this.#size % added.size !== 0) {
      throw new Error(`No subtree of ${added.size} begins at ${this.#size}`);
    }
    this.#size += added.size;
    let merged = added;
    for (let left = subtrees.at(-1); left?.size === merged.size; left = subtrees.at(-1)) {
      subtrees.pop();
      merged = { size: 2 * merged.size, hash: nodeHash(left.hash, merged.hash) };
    }
    subtrees.push(merged);
  }

  root(): Buffer {
    const last = this.#subtrees.at(-1);
    if (!last) return sha256('');
    const others = this.#subtrees.slice(0, -1);
    return others.reduceRight((right, left) => nodeHash(left.hash, right), last.hash);
  }

  state(): FrontierState {
    const hashes = this.#subtrees.map((subtree) => subtree.hash.toString('base64'));
    return { size: this.#size, hashes };
  }
}

function restored({ size, hashes }: FrontierState): Subtree[] {
  const subtrees: Subtree[] = [];
  let rest = size;
  for (const text of hashes) {
    const part = powerBelow(rest + 1);
    subtrees.push({ size: part, hash: Buffer.from(text, 'base64') });
    rest -= part;
  }
  if (rest !== 0 || subtrees.some((subtree) => subtree.hash.length !== HASH_BYTES)) {
    throw new Error(`These are not the subtrees of a tree of ${size} leaves`);
  }
  return subtrees;
}

/** The largest power of two that is smaller than `n`, where the left half of a tree of `n` ends. */
export function powerBelow(n: number): number {
  let power = 1;
  while (2 * power < n) power *= 2;
  return power;
}
