import { describe, expect, it } from 'vitest';
import { SORT_KEY_MAX, sortKeyOf } from './columns.ts';

describe('the sort key of a name', () => {
  it('ignores capital letters and accents', () => {
    const names = ['Zoë', 'Ärmel', 'apple', 'Box', 'Éclair'];
    const sorted = names.toSorted((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1));
    expect(sorted).toEqual(['apple', 'Ärmel', 'Box', 'Éclair', 'Zoë']);
  });

  it('leaves out characters that are not shown, which a cursor cannot have', () => {
    expect(sortKeyOf('A\u0000\u200d\u{10ffff}b')).toBe('ab');
  });

  it('has a limited length, also where a letter becomes several', () => {
    expect(sortKeyOf('ﷺ'.repeat(200))).toHaveLength(SORT_KEY_MAX);
  });
});
