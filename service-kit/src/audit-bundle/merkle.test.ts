import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Frontier, type FrontierState, leafHash, nodeHash } from './merkle.ts';
import {
  consistencyProof,
  inclusionProof,
  isConsistent,
  isIncluded,
  type ProofCollector,
} from './merkle-proofs.ts';

/** The leaves and roots that the implementations of Certificate Transparency are tested with. */
const KNOWN_LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => leafHash(Buffer.from(hex, 'hex')));
const KNOWN_ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** As RFC 6962 defines it, without any cleverness. */
function naiveRoot(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (!only) return createHash('sha256').digest();
  if (leaves.length === 1) return only;
  let left = 1;
  while (left * 2 < leaves.length) left *= 2;
  return nodeHash(naiveRoot(leaves.slice(0, left)), naiveRoot(leaves.slice(left)));
}

function naiveInclusion(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return [];
  let left = 1;
  while (left * 2 < leaves.length) left *= 2;
  const [before, after] = [leaves.slice(0, left), leaves.slice(left)];
  return index < left
    ? [...naiveInclusion(index, before), naiveRoot(after)]
    : [...naiveInclusion(index - left, after), naiveRoot(before)];
}

function naiveConsistency(earlier: number, leaves: readonly Buffer[], isOwn = true): Buffer[] {
  if (earlier === leaves.length) return isOwn ? [] : [naiveRoot(leaves)];
  let left = 1;
  while (left * 2 < leaves.length) left *= 2;
  const [before, after] = [leaves.slice(0, left), leaves.slice(left)];
  return earlier <= left
    ? [...naiveConsistency(earlier, before, isOwn), naiveRoot(after)]
    : [...naiveConsistency(earlier - left, after, false), naiveRoot(before)];
}

const leavesOf = (size: number) =>
  Array.from({ length: size }, (_, at) => leafHash(Buffer.from(`leaf ${at}`)));

function collect(collector: ProofCollector, leaves: readonly Buffer[]): Buffer[] {
  for (const leaf of leaves) collector.append(leaf);
  return collector.proof();
}

/** A proof with one of its parts changed, left out, doubled or put first. */
const spoiltProofs = (proof: readonly Buffer[]) =>
  proof.flatMap((part, at) => [
    proof.with(at, leafHash(part)),
    proof.toSpliced(at, 1),
    proof.toSpliced(at, 0, part),
  ]);

describe('the root', () => {
  it('is the known one for the known leaves', () => {
    const tree = new Frontier();
    const roots = [tree.root().toString('hex')];
    for (const leaf of KNOWN_LEAVES) {
      tree.append(leaf);
      roots.push(tree.root().toString('hex'));
    }
    expect(roots).toEqual(KNOWN_ROOTS);
  });

  it('matches the definition, also when a stored tree grows', () => {
    fc.assert(
      fc.property(fc.nat(80), fc.nat(80), (first, more) => {
        const leaves = leavesOf(first + more);
        const start = new Frontier();
        for (const leaf of leaves.slice(0, first)) start.append(leaf);
        const kept: FrontierState = JSON.parse(JSON.stringify(start.state()));
        const tree = new Frontier(kept);
        for (const leaf of leaves.slice(first)) tree.append(leaf);
        expect([tree.size, tree.root()]).toEqual([first + more, naiveRoot(leaves)]);
      }),
    );
  });

  it('is the same from subtrees as from their leaves', () => {
    const leaves = leavesOf(13);
    const tree = new Frontier();
    tree.appendSubtree({ size: 8, hash: naiveRoot(leaves.slice(0, 8)) });
    tree.append(leaves[8] as Buffer);
    tree.append(leaves[9] as Buffer);
    tree.appendSubtree({ size: 2, hash: naiveRoot(leaves.slice(10, 12)) });
    tree.append(leaves[12] as Buffer);
    expect(tree.root()).toEqual(naiveRoot(leaves));
    expect(() => tree.appendSubtree({ size: 2, hash: leaves[0] as Buffer })).toThrow(
      'begins at 13',
    );
  });

  it.each([
    { size: 3, hashes: [] },
    { size: 2, hashes: ['AA=='] },
    { size: 0, hashes: [leafHash(Buffer.of()).toString('base64')] },
  ])('is not built from an invalid tree: %j', (state) => {
    expect(() => new Frontier(state)).toThrow('not the subtrees');
  });
});

const sizes = fc.integer({ min: 1, max: 70 });
const places = sizes.chain((size) => fc.tuple(fc.nat(size - 1), fc.constant(size)));

describe('a proof of inclusion', () => {
  it('matches the definition, and is valid', () => {
    fc.assert(
      fc.property(places, ([index, size]) => {
        const leaves = leavesOf(size);
        const proof = collect(inclusionProof(index, size), leaves);
        expect(proof).toEqual(naiveInclusion(index, leaves));
        const claim = { index, size, leaf: leaves[index] as Buffer, root: naiveRoot(leaves) };
        expect(isIncluded(proof, claim)).toBe(true);
      }),
    );
  });

  it('is valid for nothing else', () => {
    fc.assert(
      fc.property(places, ([index, size]) => {
        const leaves = leavesOf(size);
        const proof = collect(inclusionProof(index, size), leaves);
        const claim = { index, size, leaf: leaves[index] as Buffer, root: naiveRoot(leaves) };
        for (const spoilt of spoiltProofs(proof)) expect(isIncluded(spoilt, claim)).toBe(false);
        for (let other = 0; other <= size; other += 1) {
          expect(isIncluded(proof, { ...claim, index: other })).toBe(other === index);
        }
        expect(isIncluded(proof, { ...claim, leaf: leafHash(claim.leaf) })).toBe(false);
        expect(isIncluded(proof, { ...claim, root: leafHash(claim.root) })).toBe(false);
      }),
    );
  });

  it('is not created for a missing leaf, or from too few leaves', () => {
    expect(() => inclusionProof(5, 5)).toThrow('No leaf 5');
    expect(() => collect(inclusionProof(0, 5), leavesOf(4))).toThrow('end at 4');
  });
});

describe('a proof of consistency', () => {
  it('matches the definition, and is valid', () => {
    fc.assert(
      fc.property(places, ([place, size]) => {
        const leaves = leavesOf(size);
        const earlier = place + 1;
        const proof = collect(consistencyProof(earlier, size), leaves);
        expect(proof).toEqual(naiveConsistency(earlier, leaves));
        const trees = {
          earlier: { size: earlier, root: naiveRoot(leaves.slice(0, earlier)) },
          later: { size, root: naiveRoot(leaves) },
        };
        expect(isConsistent(proof, trees)).toBe(true);
      }),
    );
  });

  it('fails for a tree with other leaves, and for other proofs', () => {
    fc.assert(
      fc.property(places, fc.nat(69), ([place, size], changed) => {
        const leaves = leavesOf(size);
        const size1 = place + 1;
        const proof = collect(consistencyProof(size1, size), leaves);
        const earlier = { size: size1, root: naiveRoot(leaves.slice(0, size1)) };
        const later = { size, root: naiveRoot(leaves) };
        for (const spoilt of spoiltProofs(proof)) {
          expect(isConsistent(spoilt, { earlier, later })).toBe(false);
        }
        const others = leaves.with(changed % size1, leafHash(Buffer.from('another')));
        const other = { size: size1, root: naiveRoot(others.slice(0, size1)) };
        expect(isConsistent(proof, { earlier: other, later })).toBe(false);
        const forged = collect(consistencyProof(size1, size), others);
        expect(isConsistent(forged, { earlier, later: { size, root: naiveRoot(others) } })).toBe(
          false,
        );
      }),
    );
  });

  it('is empty from the empty tree on, and there is none back', () => {
    const later = { size: 3, root: naiveRoot(leavesOf(3)) };
    const none = { size: 0, root: naiveRoot([]) };
    expect(
      isConsistent(collect(consistencyProof(0, 3), leavesOf(3)), { earlier: none, later }),
    ).toBe(true);
    expect(isConsistent([], { earlier: later, later: none })).toBe(false);
    expect(() => consistencyProof(4, 3)).toThrow('4 is beyond 3');
  });
});
