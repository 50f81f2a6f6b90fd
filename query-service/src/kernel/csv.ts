import { type Cell, csvLine } from '@tallyhand/service-kit/csv';

/** The columns of a CSV file: heading and cell of a row. */
export type CsvColumns<R> = Readonly<Record<string, (row: R) => Cell>>;

/** Some rows of a table, and the key of the next page; null at the end. */
export type RowPage<R> = { readonly rows: readonly R[]; readonly next: string | null };

/** The rows of a table page by page, with one page in memory. */
export async function* pagesOf<R>(
  first: RowPage<R>,
  pageAfter: (key: string) => Promise<RowPage<R>>,
): AsyncGenerator<readonly R[]> {
  for (let page = first; ; page = await pageAfter(page.next)) {
    if (page.rows.length > 0) yield page.rows;
    if (page.next === null) return;
  }
}

/** A table as CSV text with headings. */
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
