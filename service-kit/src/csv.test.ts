import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvCells, csvLine } from './csv.ts';

describe('csvLine', () => {
  it('writes text, numbers and empty values', () => {
    expect(csvLine(['Support', -5, 0, true, null, undefined, ''])).toBe('Support,-5,0,true,,,\r\n');
  });

  it('quotes characters that would end a cell or a line', () => {
    expect(csvLine(['a,b', 'say "hi"', 'two\nlines', 'cr\rhere'])).toBe(
      '"a,b","say ""hi""","two\nlines","cr\rhere"\r\n',
    );
  });

  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1+1',
    '\r=1+1',
    '  =1+1',
    '\u00a0=1+1',
    '|calc',
    '＝1+1',
    "'=1+1",
    '=HYPERLINK("https://evil.example","Click")',
  ])('disarms the formula %j', (text) => {
    const cell = csvLine([text]).trimEnd();
    expect(cell).toMatch(/^"?'/);
    expect(cell.replace(/^"|"$/g, '').replaceAll('""', '"')).toBe(`'${text.trimEnd()}`);
  });

  it('leaves ordinary text unchanged', () => {
    for (const text of ['Ada', '2026-11-21T08:00:00.000Z', '0190b5a0', 'a=b', "O'Neill", "'tis"]) {
      expect(csvLine([text])).toBe(`${text}\r\n`);
    }
  });
});

describe('csvCells', () => {
  const pieces = fc.constantFrom(
    "'",
    '=',
    '+',
    '-',
    '@',
    '＝',
    ' ',
    '\t',
    '\r',
    '\n',
    '"',
    ',',
    'a',
  );
  const text = fc.oneof(fc.string(), fc.string({ unit: pieces, maxLength: 8 }));

  it('gives every text back as it was', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (cells) => {
        expect(csvCells(csvLine(cells))).toEqual(cells);
      }),
    );
  });

  it('reads cells of any length', () => {
    const long = ['x'.repeat(1_000_000), '"'.repeat(1_000_000), ''];
    expect(csvCells(csvLine(long))).toEqual(long);
  });

  it.each(['', 'a', 'a\n', '"a\r\n', 'a"b\r\n', '"a"b\r\n', 'a\r\nb\r\n', 'a,b'])(
    'recognizes that %j was not written by it',
    (line) => {
      expect(csvCells(line)).toBeNull();
    },
  );
});
