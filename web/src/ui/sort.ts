import {
  type ColumnDef,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { collator } from './formats.ts';

/** The value that rows are sorted by; null is missing. A time is an ISO time. */
export type SortBy<Row> =
  | { text: (row: Row) => string | null }
  | { number: (row: Row) => number | null }
  | { time: (row: Row) => string | null };

export const DIRECTIONS = ['ascending', 'descending'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Which column rows are sorted by. */
export type Sort = { key: string; direction: Direction };

type Sortable<Row> = { key: string; sortBy?: SortBy<Row> };

/** How a table is sorted, nothing being its own order, and how another sort is chosen. */
export type TableSort = {
  sort: Sort | undefined;
  choose: (sort: Sort | undefined) => void;
  /** The table's own order is that of a column, and the sort while nothing else is chosen. */
  own?: Sort;
};

/** A sort in an address: the column's key, with `-` for descending. */
export const sortText = ({ key, direction }: Sort) =>
  direction === 'descending' ? `-${key}` : key;

/** Parses such a text; undefined if these columns don't have it. */
export function sortIn<Row>(text: string, columns: readonly Sortable<Row>[]): Sort | undefined {
  const sorts = columns.flatMap(({ key, sortBy }) =>
    sortBy ? DIRECTIONS.map((direction) => ({ key, direction })) : [],
  );
  return sorts.find((sort) => sortText(sort) === text);
}

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

type Definition<Row extends RowData> = ColumnDef<typeof features, Row, unknown>;

/**
 * How a column sorts: texts begin with A, by the rules of the language; amounts and times with the
 * greatest. What is missing comes last either way, and equals stay as they were.
 */
function definitionOf<Row extends RowData>(
  { key: id, sortBy }: Sortable<Row>,
  language: string,
): Definition<Row> {
  if (!sortBy) return { id, enableSorting: false };
  if ('text' in sortBy) {
    const { compare } = collator(language, { numeric: true });
    return {
      id,
      accessorFn: (row) => sortBy.text(row) ?? undefined,
      sortUndefined: 'last',
      sortDescFirst: false,
      sortFn: (a, b) => compare(a.getValue(id), b.getValue(id)),
    };
  }
  const numberIn = 'number' in sortBy ? sortBy.number : (row: Row) => momentOf(sortBy.time(row));
  return {
    id,
    accessorFn: (row) => numberIn(row) ?? undefined,
    sortUndefined: 'last',
    sortDescFirst: true,
    sortFn: (a, b) => difference(a.getValue(id), b.getValue(id)),
  };
}

const momentOf = (time: string | null) => (time === null ? null : Date.parse(time));
const difference = (a: number, b: number) => (a === b ? 0 : a - b);

/** The sorted rows, and the click on a column header: ascending or descending, the reverse, none. */
export function useSorting<Row extends RowData>(
  columns: readonly Sortable<Row>[],
  rows: readonly Row[],
  sort: TableSort | undefined,
  language: string,
) {
  const chosen = sort?.sort;
  const sorting = chosen ? [{ id: chosen.key, desc: chosen.direction === 'descending' }] : [];
  const table = useTable({
    features,
    columns: columns.map((column) => definitionOf(column, language)),
    data: rows,
    state: { sorting },
    // The server sorts a table that has a default order.
    manualSorting: sort?.own !== undefined,
    onSortingChange: (updater) => {
      const [next] = typeof updater === 'function' ? updater(sorting) : updater;
      sort?.choose(next && { key: next.id, direction: next.desc ? 'descending' : 'ascending' });
    },
  });
  return {
    rows: table.getRowModel().rows.map(({ original }) => original),
    toggle: (key: string) => table.getColumn(key)?.toggleSorting(),
  };
}
