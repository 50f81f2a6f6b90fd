import { describe, expect, it } from 'vitest';
import {
  type HistoryRow,
  historyRows,
  lineDiff,
  linesOf,
  markedWords,
  shortened,
} from './history-rows.ts';

const told = (rows: readonly HistoryRow[]) =>
  rows.map((row) =>
    row.sign === 'gap' ? `gap of ${row.count}` : `${row.sign}${row.text.join('|')}`,
  );
const numbered = (count: number) => Array.from({ length: count }, (_, line) => `line ${line}`);

describe('a value of a history', () => {
  it.each([
    ['a text', 'One\nTwo\n', ['One', 'Two']],
    ['a list', ['One', 'Two'], ['One', 'Two']],
    ['a number', 30, ['30']],
    ['names with texts', { Accept: 'text/plain' }, ['Accept: text/plain']],
    [
      'a list of prices',
      [{ model: 'small', input: 0.1, cachedInput: null, output: 0.3 }],
      ['small: input 0.1, output 0.3'],
    ],
    ['a header without a value', [{ name: 'Accept', value: '' }], ['Accept']],
    ['a list of headers', [{ name: 'Accept', value: 'text/plain' }], ['Accept: text/plain']],
    ['nothing', null, []],
    ['an empty text', '', []],
  ])('that is %s is shown in lines', (_, value, lines) => {
    expect(linesOf(value)).toEqual(lines);
  });
  it('is shown by its name if it has one', () => {
    expect(linesOf(['a', 'b'], (id) => `Article ${id}`)).toEqual(['Article a', 'Article b']);
  });
});

describe('a change of a history', () => {
  it('marks the words that differ in lines that took each other’s place', () => {
    const rows = historyRows(['Title', 'In 30 days'], ['Title', 'In 60 days']);
    expect(told(rows)).toEqual([' Title||', '-In |30 |days', '+In |60 |days']);
  });
  it('marks whole lines where their numbers differ', () => {
    expect(told(historyRows(['a', 'b'], ['c']))).toEqual(['-|a|', '-|b|', '+|c|']);
  });
  it('hides lines far from every change, until expanded', () => {
    const before = numbered(9);
    const after = before.with(4, 'line IV');
    const { rows, isCut } = shortened(historyRows(before, after));
    expect(isCut).toBe(true);
    expect(told(rows)).toEqual([
      'gap of 3',
      ' line 3||',
      '-line |4|',
      '+line |IV|',
      ' line 5||',
      'gap of 3',
    ]);
  });
  it('shortens a line, keeping the text around its change', () => {
    const words = 'word '.repeat(200);
    const { rows, isCut } = shortened(historyRows([`${words}a ${words}`], [`${words}b ${words}`]));
    expect(isCut).toBe(true);
    for (const row of rows) {
      expect(row.sign !== 'gap' && row.text.join('').length).toBeLessThan(200);
    }
    expect(rows.map((row) => row.sign !== 'gap' && row.text[1])).toEqual(['a ', 'b ']);
  });
  it('shows a short change whole', () => {
    expect(shortened(historyRows(['a'], ['b'])).isCut).toBe(false);
    expect(shortened(historyRows([], numbered(12))).isCut).toBe(false);
    expect(shortened(historyRows([], numbered(13)))).toMatchObject({ isCut: true });
  });
});

const marked = (before: string[], after: string[]) =>
  lineDiff(before, after).map(({ sign, text }) => `${sign}${text}`);

describe('the comparison of two texts', () => {
  it('lists line by line what stayed, was removed and was added', () => {
    const diff = marked(['one', 'two', 'three', 'four'], ['one', 'three', 'and a half', 'four']);
    expect(diff).toEqual([' one', '-two', ' three', '+and a half', ' four']);
  });
  it('shows a replaced line as removed, then added', () => {
    expect(marked(['a', 'b', 'c'], ['a', 'x', 'c'])).toEqual([' a', '-b', '+x', ' c']);
  });
  it('finds lines that stayed between others, repeated ones too', () => {
    expect(marked(['', 'a', '', 'b'], ['', 'b', '', 'a'])).toEqual([
      ' ',
      '-a',
      '-',
      ' b',
      '+',
      '+a',
    ]);
  });
  it('shows only added lines when there were none', () => {
    expect(marked([], ['a', 'b'])).toEqual(['+a', '+b']);
    expect(marked(['a'], [])).toEqual(['-a']);
    expect(marked(['a'], ['a'])).toEqual([' a']);
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
  it('marks the whole lines when they share nothing', () => {
    expect(markedWords('a', 'b')).toEqual([
      ['', 'a', ''],
      ['', 'b', ''],
    ]);
  });
});
