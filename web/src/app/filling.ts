/** Whether a list has rows. */
export type Filling = 'unknown' | 'empty' | 'filled';

/** A list that could not be loaded counts as filled: more can be created nevertheless. */
export function fillingOf(rows: readonly unknown[] | undefined, error?: unknown): Filling {
  if (!rows) return error ? 'filled' : 'unknown';
  return rows.length === 0 ? 'empty' : 'filled';
}

type Pages = { pages: readonly { entries: readonly unknown[] }[] };

/** The same of a list that is loaded page by page. */
export const fillingOfPages = (list: Pages | undefined, error?: unknown): Filling =>
  fillingOf(
    list?.pages.flatMap(({ entries }) => entries),
    error,
  );
