import { type Cell, csvLine } from '@tallyhand/service-kit/csv';

/** The columns of a table by their headings, each with what it shows of a row. */
export type CsvColumns<R> = Readonly<Record<string, (row: R) => Cell>>;

/** Some rows of a table, and the key that others follow after; null at the end. */
export type RowPage<R> = { readonly rows: readonly R[]; readonly next: string | null };

/** The rows of a table page by page: no more than one page is in memory, however long it is. */
export async function* pagesOf<R>(
  first: RowPage<R>,
  pageAfter: (key: string) => Promise<RowPage<R>>,
): AsyncGenerator<readonly R[]> {
  for (let page = first; ; page = await pageAfter(page.next)) {
    if (page.rows.length > 0) yield page.rows;
    if (page.next === null) return;
  }
}

/** A table as text, with its headings. */
export async function* csvOf<R>(
  columns: CsvColumns<R>,
  pages: AsyncIterable<readonly R[]>,
): AsyncGenerator<string> {
  yield csvLine(Object.keys(columns));
  const cells = Object.values(columns);
  for await (const rows of pages) {
    yield rows.map((row) => csvLine(cells.map((cell) => cell(row)))).join('');
  }
}
