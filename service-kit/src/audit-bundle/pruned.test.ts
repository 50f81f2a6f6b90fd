import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Frontier, leafHash } from './merkle.ts';
import { type ProofEntry, proofLine, prunedProof, readProofLine } from './pruned.ts';

const leafAt = (sequence: number) => leafHash(Buffer.from(`row ${sequence}`));

function entriesOf(exported: readonly boolean[]): ProofEntry[] {
  const entries: ProofEntry[] = [];
  const proof = prunedProof((entry) => entries.push(entry));
  exported.forEach((isExported, at) => {
    proof.add(leafAt(at + 1), isExported ? leafAt(0) : null);
  });
  proof.end();
  return entries;
}

function rootOf(sequences: readonly number[]): Buffer {
  const tree = new Frontier();
  for (const sequence of sequences) tree.append(leafAt(sequence));
  return tree.root();
}

/** Whether a subtree is part of a larger one that has no exported row either. */
function isPartOfLarger(from: number, size: number, exported: readonly boolean[]): boolean {
  const start = Math.floor((from - 1) / (2 * size)) * 2 * size;
  const end = start + 2 * size;
  return end <= exported.length && !exported.slice(start, end).includes(true);
}

describe('a pruned tree', () => {
  const choices = fc.array(fc.boolean(), { maxLength: 100 });

  it('adds up to the root of the whole, names each exported row, and is as short as possible', () => {
    fc.assert(
      fc.property(choices, (exported) => {
        const tree = new Frontier();
        const rows: number[] = [];
        for (const entry of entriesOf(exported)) {
          const hash = Buffer.from(entry.hash, 'base64');
          if ('row' in entry) {
            rows.push(entry.row);
            tree.append(hash);
            continue;
          }
          expect(entry.from).toBe(tree.size + 1);
          expect(isPartOfLarger(entry.from, entry.size, exported)).toBe(false);
          tree.appendSubtree({ size: entry.size, hash });
        }
        expect(tree.root()).toEqual(rootOf(exported.map((_, at) => at + 1)));
        expect(rows).toEqual(exported.flatMap((isExported, at) => (isExported ? at + 1 : [])));
      }),
    );
  });

  it('is one line where nothing is exported of a perfect tree', () => {
    expect(entriesOf(Array(64).fill(false))).toEqual([
      {
        from: 1,
        size: 64,
        hash: rootOf(Array.from({ length: 64 }, (_, at) => at + 1)).toString('base64'),
      },
    ]);
  });
});

describe('a line', () => {
  const hash = leafAt(1).toString('base64');

  it('reads back', () => {
    for (const entry of [
      { row: 3, hash, revealed: hash },
      { from: 5, size: 4, hash },
    ]) {
      expect(readProofLine(proofLine(entry))).toEqual(entry);
    }
  });

  it.each([
    '',
    `{"from":1,"size":3,"hash":"${hash}"}`,
    `{"from":1,"size":0,"hash":"${hash}"}`,
    '{',
    '[]',
    `{"row":0,"hash":"${hash}","revealed":"${hash}"}`,
    `{"row":1, "hash":"${hash}","revealed":"${hash}"}`,
    `{"hash":"${hash}","row":1,"revealed":"${hash}"}`,
    `{"row":1,"hash":"${hash}","revealed":"${hash}","size":1}`,
    `{"row":1,"row":1,"hash":"${hash}","revealed":"${hash}"}`,
    `{"row":1,"hash":"${hash}"}`,
    `{"row":1,"hash":"AAAA","revealed":"${hash}"}`,
  ])('is rejected when it says %s', (line) => {
    expect(readProofLine(line)).toBeNull();
  });
});
