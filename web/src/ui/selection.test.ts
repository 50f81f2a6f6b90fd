import { describe, expect, it } from 'vitest';
import { areAllChosen, rangeOf, toggled } from './selection.ts';

const keys = ['a', 'b', 'c', 'd'];

describe('the chosen rows of a table', () => {
  it.each([
    ['b', 'd', ['b', 'c', 'd']],
    ['d', 'b', ['b', 'c', 'd']],
    ['c', 'c', ['c']],
    ['gone', 'c', ['c']],
  ])('are those from %s to %s', (from, to, range) => {
    expect(rangeOf(keys, from, to)).toEqual(range);
  });

  it('are all chosen, or all not, as the one that was clicked', () => {
    expect([...toggled(new Set(['b']), ['b', 'c', 'd'], 'd')]).toEqual(['b', 'c', 'd']);
    expect([...toggled(new Set(keys), ['b', 'c'], 'c')]).toEqual(['a', 'd']);
  });

  it('are all only where there are rows', () => {
    expect(areAllChosen(new Set(keys), keys)).toBe(true);
    expect(areAllChosen(new Set(['a']), keys)).toBe(false);
    expect(areAllChosen(new Set(), [])).toBe(false);
  });
});
