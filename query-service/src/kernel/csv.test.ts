import { describe, expect, it } from 'vitest';
import { csvLine, csvOf, pagesOf } from './csv.ts';

describe('csvLine', () => {
  it('writes text, numbers and nothing', () => {
    expect(csvLine(['Support', -5, 0, true, null, undefined, ''])).toBe('Support,-5,0,true,,,\r\n');
  });

  it('quotes what would end a cell or a line', () => {
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
    '=HYPERLINK("https://evil.example","Click")',
  ])('takes the power from the formula %j', (text) => {
    const cell = csvLine([text]).trimEnd();
    expect(cell).toMatch(/^"?'/);
    expect(cell.replace(/^"|"$/g, '').replaceAll('""', '"')).toBe(`'${text.trimEnd()}`);
  });

  it('leaves ordinary text as it is', () => {
    for (const text of ['Ada', '2026-11-21T08:00:00.000Z', '0190b5a0', 'a=b', "O'Neill"]) {
      expect(csvLine([text])).toBe(`${text}\r\n`);
    }
  });
});

describe('csvOf', () => {
  const columns = { Number: (row: number) => row };
  const textOf = async (rows: readonly number[], pageLength: number) => {
    const asked: number[] = [];
    const page = (after: number) => rows.filter((row) => row > after).slice(0, pageLength);
    const next = async (last: number) => {
      asked.push(last);
      return page(last);
    };
    let text = '';
    for await (const part of csvOf(columns, pagesOf(page(0), pageLength, next))) text += part;
    return { text, asked };
  };

  it('goes on from page to page until one is not full', async () => {
    expect(await textOf([1, 2, 3, 4, 5], 2)).toEqual({
      ...{ text: 'Number\r\n1\r\n2\r\n3\r\n4\r\n5\r\n', asked: [2, 4] },
    });
    expect(await textOf([1, 2], 2)).toEqual({ text: 'Number\r\n1\r\n2\r\n', asked: [2] });
  });

  it('has its headings where there are no rows', async () => {
    expect(await textOf([], 2)).toEqual({ text: 'Number\r\n', asked: [] });
  });
});
