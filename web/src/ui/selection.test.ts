import { describe, expect, it } from 'vitest';
import { among, areAllChosen, rangeOf, SELECTED_MAX, toggled } from './selection.ts';

const keys = ['a', 'b', 'c', 'd'];

describe('the chosen rows of a list', () => {
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

  it('are a limited number, from the first one of a range', () => {
    const many = Array.from({ length: SELECTED_MAX + 5 }, (_, index) => `${index}`);
    const chosen = toggled(new Set(['50']), many, '104');
    expect(chosen.size).toBe(SELECTED_MAX);
    expect([chosen.has('98'), chosen.has('100')]).toEqual([true, false]);
    expect(areAllChosen(chosen, many)).toBe(true);
    expect(toggled(chosen, ['104'], '104')).toEqual(chosen);
    expect(toggled(chosen, ['3'], '3').size).toBe(SELECTED_MAX - 1);
  });

  it('are only those that are still in the list', () => {
    expect([...among(new Set(['b', 'gone']), keys)]).toEqual(['b']);
  });
});
