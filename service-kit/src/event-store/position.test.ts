import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePositions, formatPosition, maxPosition, parsePosition, START } from './position.ts';

const number = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const position = fc.record({ commit: number, prepare: number });

describe('a position', () => {
  it('reads back as it was written', () => {
    fc.assert(
      fc.property(position, (at) => {
        expect(parsePosition(formatPosition(at))).toEqual(at);
      }),
    );
  });
  it('is ordered by commit, then by prepare, as whole numbers', () => {
    expect(comparePositions({ commit: 9n, prepare: 9n }, { commit: 10n, prepare: 0n })).toBe(-1);
    expect(comparePositions({ commit: 10n, prepare: 2n }, { commit: 10n, prepare: 1n })).toBe(1);
    expect(comparePositions(START, { commit: 0n, prepare: 0n })).toBe(0);
  });
  it('the newer of two is the same in either order', () => {
    fc.assert(
      fc.property(position, position, (a, b) => {
        expect(maxPosition(a, b)).toEqual(maxPosition(b, a));
        expect(comparePositions(maxPosition(a, b), a)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
  it.each([
    '',
    'C1',
    'C-P',
    'C1-P',
    'C-1-P1',
    'C1-P1 ',
    ' C1-P1',
    'c1-p1',
    `C${'9'.repeat(20)}-P1`,
  ])('%j is none', (text) => {
    expect(parsePosition(text)).toBeNull();
  });
});
