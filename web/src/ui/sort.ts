import { collator } from './formats.ts';

/** What rows are put in order by; null is missing. A time is an ISO time. */
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

/** Texts begin with the first letter; of amounts and times the greatest are looked for. */
const firstDirection = <Row>(by: SortBy<Row>): Direction =>
  'text' in by ? 'ascending' : 'descending';

const other = (direction: Direction): Direction =>
  direction === 'ascending' ? 'descending' : 'ascending';

/** What a click on a column's head leads to: one way, the other, and the table's own order. */
export function nextSort<Row>(
  sort: Sort | undefined,
  key: string,
  by: SortBy<Row>,
): Sort | undefined {
  const first = firstDirection(by);
  if (sort?.key !== key) return { key, direction: first };
  return sort.direction === first ? { key, direction: other(first) } : undefined;
}

/** A sort as an address says it: the column's name, `-` before it for the greatest first. */
export const sortText = ({ key, direction }: Sort) =>
  direction === 'descending' ? `-${key}` : key;

/** The sort that such a text means, if these columns have it. */
export function sortIn<Row>(text: string, columns: readonly Sortable<Row>[]): Sort | undefined {
  const sorts = columns.flatMap(({ key, sortBy }) =>
    sortBy ? DIRECTIONS.map((direction) => ({ key, direction })) : [],
  );
  return sorts.find((sort) => sortText(sort) === text);
}

/** The rows sorted. What is missing is at the end either way, and equals stay as they were. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Sortable<Row>[],
  sort: Sort | undefined,
  language: string,
): readonly Row[] {
  const by = columns.find(({ key }) => key === sort?.key)?.sortBy;
  if (!sort || !by) return rows;
  if ('text' in by) {
    return inOrder(rows, by.text, sort.direction, collator(language, { numeric: true }).compare);
  }
  const number = 'number' in by ? by.number : (row: Row) => momentOf(by.time(row));
  return inOrder(rows, number, sort.direction, (a, b) => (a === b ? 0 : a - b));
}

const momentOf = (time: string | null) => (time === null ? null : Date.parse(time));

function inOrder<Row, Value>(
  rows: readonly Row[],
  valueIn: (row: Row) => Value | null,
  direction: Direction,
  compare: (a: Value, b: Value) => number,
): Row[] {
  const sign = direction === 'ascending' ? 1 : -1;
  const valued = rows.map((row) => ({ row, value: valueIn(row) }));
  valued.sort((a, b) => {
    if (a.value === null || b.value === null) {
      return Number(a.value === null) - Number(b.value === null);
    }
    return sign * compare(a.value, b.value);
  });
  return valued.map(({ row }) => row);
}
