import { describe, expect, it } from 'vitest';
import { lineDiff, markedWords } from './line-diff.ts';

const told = (before: string[], after: string[]) =>
  lineDiff(before, after).map(({ sign, text }) => `${sign}${text}`);

describe('the comparison of two texts', () => {
  it('lists line by line what stayed, was removed and was added', () => {
    const diff = told(['one', 'two', 'three', 'four'], ['one', 'three', 'and a half', 'four']);
    expect(diff).toEqual([' one', '-two', ' three', '+and a half', ' four']);
  });
  it('shows a replaced line as removed, then added', () => {
    expect(told(['a', 'b', 'c'], ['a', 'x', 'c'])).toEqual([' a', '-b', '+x', ' c']);
  });
  it('finds lines that stayed between others, repeated ones too', () => {
    expect(told(['', 'a', '', 'b'], ['', 'b', '', 'a'])).toEqual([' ', '-a', '-', ' b', '+', '+a']);
  });
  it('shows only added lines when there were none', () => {
    expect(told([], ['a', 'b'])).toEqual(['+a', '+b']);
    expect(told(['a'], [])).toEqual(['-a']);
    expect(told(['a'], ['a'])).toEqual([' a']);
  });
  it('compares no further than is worth the time', () => {
    const before = Array.from({ length: 2_000 }, (_, line) => `old ${line}`);
    const after = Array.from({ length: 2_000 }, (_, line) => `new ${line}`);
    const diff = lineDiff(['same', ...before], ['same', ...after]);
    expect(diff.length).toBe(4_001);
    expect(diff[2_000]).toEqual({ sign: '-', text: 'old 1999' });
    expect(diff[2_001]).toEqual({ sign: '+', text: 'new 0' });
  });
});

describe('the comparison of two versions of a line', () => {
  it('marks the words that differ', () => {
    const [before, after] = markedWords('Within 30 days of delivery', 'Within 60 days of delivery');
    expect(before).toEqual(['Within ', '30 ', 'days of delivery']);
    expect(after).toEqual(['Within ', '60 ', 'days of delivery']);
  });
  it('marks the whole of lines that share nothing', () => {
    expect(markedWords('a', 'b')).toEqual([
      ['', 'a', ''],
      ['', 'b', ''],
    ]);
  });
});
