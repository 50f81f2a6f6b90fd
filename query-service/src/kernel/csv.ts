import { type Cell, csvLine } from '@tallyhand/service-kit/csv';

/** The columns of a table by their headings, each with what it shows of a row. */
export type CsvColumns<R> = Readonly<Record<string, (row: R) => Cell>>;

/**
 * The rows of a table page by page: no more than one page is in memory, however long the table is.
 * `next` gives the rows after `last`; fewer than `pageLength` are the end.
 */
export async function* pagesOf<R>(
  first: readonly R[],
  pageLength: number,
  next: (last: R) => Promise<readonly R[]>,
): AsyncGenerator<readonly R[]> {
  for (let rows = first; ; ) {
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < pageLength) return;
    rows = await next(last);
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
