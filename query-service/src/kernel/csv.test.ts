import { describe, expect, it } from 'vitest';
import { csvOf, pagesOf } from './csv.ts';

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
      text: 'Number\r\n1\r\n2\r\n3\r\n4\r\n5\r\n',
      asked: [2, 4],
    });
    expect(await textOf([1, 2], 2)).toEqual({ text: 'Number\r\n1\r\n2\r\n', asked: [2] });
  });

  it('has its headings where there are no rows', async () => {
    expect(await textOf([], 2)).toEqual({ text: 'Number\r\n', asked: [] });
  });
});
