import { describe, expect, it } from 'vitest';
import { csvOf, pagesOf } from './csv.ts';

describe('csvOf', () => {
  const columns = { Number: (row: number) => row };
  const textOf = async (pages: readonly (readonly number[])[]) => {
    const page = (index: number) => ({
      rows: pages[index] ?? [],
      next: index + 1 < pages.length ? String(index + 1) : null,
    });
    let text = '';
    const all = pagesOf(page(0), async (key) => page(Number(key)));
    for await (const part of csvOf(columns, all)) text += part;
    return text;
  };

  it('continues through all pages, including empty ones', async () => {
    expect(await textOf([[1, 2], [], [3]])).toBe('Number\r\n1\r\n2\r\n3\r\n');
  });

  it('has its headings when there are no rows', async () => {
    expect(await textOf([[]])).toBe('Number\r\n');
  });
});
