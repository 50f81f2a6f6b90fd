import { describe, expect, it } from 'vitest';
import { anchorIn, anchorText, isAnchored, treeOfCheckpoints } from './anchor.ts';

const organizationId = '0193a1b2-0000-7000-8000-000000000001';
const checkpointOf = (size: number) => ({
  text: `tallyhand audit log\n${organizationId}\n${size}\n${Buffer.alloc(32, size).toString('base64')}\n`,
  keyId: 'd90ef2895b768299',
  signature: Buffer.alloc(64).toString('base64'),
});

/** Each of `count` checkpoints with its proof. */
function anchored(count: number) {
  const checkpoints = Array.from({ length: count }, (_, index) => checkpointOf(index + 1));
  const { root, proofs } = treeOfCheckpoints(checkpoints);
  const anchor = anchorText({ number: 1, size: count, root }, null);
  return checkpoints.map((checkpoint, index) => ({
    checkpoint,
    anchor,
    index,
    proof: (proofs[index] ?? []).map((hash) => hash.toString('base64')),
    token: '',
    authority: '',
    stampedAt: '2026-11-28T08:00:00.000Z',
  }));
}

describe('an anchor', () => {
  it('has each of its checkpoints, however many there are, at its place alone', () => {
    for (let count = 1; count <= 33; count += 1) {
      const all = anchored(count);
      expect(all.every(isAnchored)).toBe(true);
      for (const one of all) {
        const index = (one.index + 1) % count;
        if (count > 1) expect(isAnchored({ ...one, index })).toBe(false);
        expect(isAnchored({ ...one, checkpoint: checkpointOf(99) })).toBe(false);
        expect(
          isAnchored({ ...one, proof: [...one.proof, ...one.proof, one.proof[0] ?? ''] }),
        ).toBe(false);
      }
    }
  });

  it('names the anchor before it', () => {
    const root = Buffer.alloc(32, 7);
    const first = anchorText({ number: 1, size: 3, root }, null);
    const second = anchorText({ number: 2, size: 3, root }, first);
    expect([first, second].map(anchorIn)).toEqual([
      { number: 1, size: 3, root },
      { number: 2, size: 3, root },
    ]);
    expect(second).not.toBe(anchorText({ number: 2, size: 3, root }, second));
  });

  it.each(['', 'tallyhand audit anchor\n1\n', 'tallyhand audit log\n1\n2\n3\n-\n'])(
    'is not read from %j',
    (text) => {
      expect(anchorIn(text)).toBeNull();
    },
  );
});
