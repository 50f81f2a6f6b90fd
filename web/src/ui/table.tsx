import type { RowData } from '@tanstack/react-table';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { Fragment, type KeyboardEvent, memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { cx } from './cx.ts';
import { Select } from './field.tsx';
import {
  DIRECTIONS,
  type Direction,
  type SortBy,
  sortIn,
  sortText,
  type TableSort,
  useSorting,
} from './sort.ts';
import type { LongList } from './use-long-list.ts';
import { usePhone } from './use-media-query.ts';

export type Column<Row> = {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Where rows can be sorted by this column. */
  sortBy?: SortBy<Row>;
  /** Numbers stand at the right, their digits below one another. */
  numeric?: boolean;
  /** Not needed to recognise the row on a phone. */
  wideOnly?: boolean;
  className?: string;
};

export type TableProps<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** The actions of a row: at its right, and at the right of a card's header. */
  actions?: (row: Row) => ReactNode;
  actionsLabel?: string;
  /** How the rows are sorted, by the columns that have an order. */
  sort?: TableSort;
  /** How many of the sorted rows are shown; all by default. */
  first?: number;
  /** Narrow enough to stay a table on a phone. */
  narrow?: boolean;
  /** The rows to render of a long table; all by default. */
  long?: LongList;
};

const placesOf = <Row,>({ rows, long }: TableProps<Row>) =>
  long?.rows ?? rows.map((_row, index) => ({ index, gap: 0 }));

const actionsOf = (row: Element) => [...row.querySelectorAll<HTMLElement>('a, button')];

/** Up and down move to the same action of the next row. */
function moveThroughRows(event: KeyboardEvent<HTMLElement>) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const action = event.target as HTMLElement;
  const row = action.closest('[data-row]');
  const next = event.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling;
  if (!row || !next) return;
  const actions = actionsOf(next);
  const target = actions[Math.min(actionsOf(row).indexOf(action), actions.length - 1)];
  if (!target) return;
  event.preventDefault();
  target.focus();
}

/** A table; on a phone a list of cards, headed by the first column. */
export function Table<Row extends RowData>(props: TableProps<Row>) {
  const phone = usePhone();
  const { i18n } = useTranslation();
  const sorted = useSorting(props.columns, props.rows, props.sort, i18n.language);
  const { toggle } = sorted;
  const rows = sorted.rows.slice(0, props.first);
  if (phone && !props.narrow) return <RowCards {...props} rows={rows} />;
  return <RowTable {...props} rows={rows} toggle={toggle} />;
}

type SortedProps<Row> = TableProps<Row> & { toggle: (column: string) => void };

function RowTable<Row>(props: SortedProps<Row>) {
  const { label, columns, rows, rowKey, actions, long } = props;
  return (
    // Room for the ring of focus, which would be cut off.
    <div className="-mx-1 -mt-1 overflow-x-auto px-1 pt-1">
      <table
        aria-label={label}
        aria-rowcount={long?.measure && rows.length + 1}
        className="w-full text-sm"
      >
        <Head {...props} />
        <tbody ref={long?.list} onKeyDown={moveThroughRows}>
          {placesOf(props).map(({ index, gap }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <Fragment key={rowKey(row)}>
                <RowsAway height={gap} />
                <BodyRow
                  row={row}
                  index={index}
                  columns={columns}
                  actions={actions}
                  measure={long?.measure}
                />
              </Fragment>
            );
          })}
          <RowsAway height={long?.gapAfter ?? 0} />
        </tbody>
      </table>
    </div>
  );
}

type PlacedProps<Row> = Pick<TableProps<Row>, 'columns' | 'actions'> & {
  row: Row;
  index: number;
  measure: LongList['measure'];
};

/** Memoized: not rendered again while the page scrolls. */
const BodyRow = memo(function BodyRow<Row>(props: PlacedProps<Row>) {
  const { row, index, columns, actions, measure } = props;
  return (
    <tr
      ref={measure}
      data-row
      data-index={index}
      aria-rowindex={measure && index + 2}
      className="border-b border-line last:border-0"
    >
      {columns.map((column) => (
        <td
          key={column.key}
          className={cx(
            'px-3 py-2 whitespace-nowrap first:pl-0 last:pr-0',
            align(column),
            column.className,
          )}
        >
          {column.cell(row)}
        </td>
      ))}
      {actions && <td className="py-1 pl-3 text-right print:hidden">{actions(row)}</td>}
    </tr>
  );
}) as <Row>(props: PlacedProps<Row>) => ReactNode;

const align = ({ numeric }: { numeric?: boolean }) =>
  numeric ? 'tabular text-right' : 'text-left';

function Head<Row>({ columns, actions, actionsLabel, sort, toggle }: SortedProps<Row>) {
  return (
    <thead>
      <tr className="border-b border-line text-xs text-muted">
        {columns.map((column) => (
          <th
            key={column.key}
            scope="col"
            aria-sort={sort && column.sortBy && directionOf(column, sort)}
            className={cx(
              'px-3 font-medium whitespace-nowrap first:pl-0 last:pr-0',
              sort && column.sortBy ? 'py-0' : 'py-2',
              align(column),
            )}
          >
            <Heading column={column} sort={sort} toggle={toggle} />
          </th>
        ))}
        {actions && (
          <th scope="col" className="w-px py-2 pl-3 text-right font-medium print:hidden">
            {actionsLabel}
          </th>
        )}
      </tr>
    </thead>
  );
}

const directionOf = ({ key }: { key: string }, { sort }: TableSort) =>
  sort?.key === key ? sort.direction : 'none';

function Heading<Row>({
  column,
  sort,
  toggle,
}: Pick<SortedProps<Row>, 'sort' | 'toggle'> & { column: Column<Row> }) {
  const { key, header, sortBy, numeric = false } = column;
  if (!sort || !sortBy) return header;
  return (
    <SortButton
      header={header}
      numeric={numeric}
      direction={directionOf(column, sort)}
      onClick={() => toggle(key)}
    />
  );
}

/** The space of rows that are not rendered. */
const RowsAway = ({ height }: { height: number }) =>
  height > 0 && <tr aria-hidden style={{ height }} />;

function RowCards<Row>(props: TableProps<Row>) {
  const { sort, columns, rows } = props;
  return (
    <>
      {sort && rows.length > 1 && <SortSelect columns={columns} sort={sort} className="mb-3" />}
      <Cards {...props} />
    </>
  );
}

function Cards<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey, actions, long } = props;
  return (
    <ul
      ref={long?.list}
      aria-label={label}
      className="-mx-4 -mb-4 divide-y divide-line border-t border-line"
    >
      {placesOf(props).map(({ index, gap }) => {
        const row = rows[index];
        if (row === undefined) return null;
        return (
          <Fragment key={rowKey(row)}>
            <ItemsAway height={gap} />
            <Card
              row={row}
              index={index}
              columns={columns}
              actions={actions}
              count={rows.length}
              measure={long?.measure}
            />
          </Fragment>
        );
      })}
      <ItemsAway height={long?.gapAfter ?? 0} />
    </ul>
  );
}

/** Memoized: not rendered again while the page scrolls. */
const Card = memo(function Card<Row>(props: PlacedProps<Row> & { count: number }) {
  const { row, index, count, columns, actions, measure } = props;
  const [first, ...others] = columns;
  return (
    <li
      ref={measure}
      data-index={index}
      {...(measure && { 'aria-posinset': index + 1, 'aria-setsize': count })}
      className="px-4 py-3 text-sm"
    >
      <div className="flex min-h-9 items-center justify-between gap-3">
        <div className="min-w-0 font-medium">{first?.cell(row)}</div>
        {actions?.(row)}
      </div>
      <Details row={row} columns={others} />
    </li>
  );
}) as <Row>(props: PlacedProps<Row> & { count: number }) => ReactNode;

function Details<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return (
    <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1">
      {columns
        .filter((column) => !column.wideOnly)
        .map((column) => (
          <div key={column.key} className="col-span-2 grid grid-cols-subgrid items-center">
            <dt className="text-xs text-muted">{column.header}</dt>
            <dd className={cx('min-w-0 max-w-full justify-self-end', column.numeric && 'tabular')}>
              {column.cell(row)}
            </dd>
          </div>
        ))}
    </dl>
  );
}

const icons = { ascending: ArrowUp, descending: ArrowDown, none: ChevronsUpDown };

/** The header of a sortable column, with an arrow for its direction, a faint one if it is unsorted. */
function SortButton({
  header,
  direction,
  numeric,
  onClick,
}: {
  header: string;
  direction: Direction | 'none';
  numeric: boolean;
  onClick: () => void;
}) {
  const Icon = icons[direction];
  return (
    <button
      type="button"
      onClick={onClick}
      className={cx(
        'inline-flex min-h-9 items-center gap-1 rounded-sm font-medium whitespace-nowrap',
        'transition-colors duration-150 ease-out hover:text-text',
        direction !== 'none' && 'text-text',
        // The word stands above the digits.
        numeric && 'flex-row-reverse',
      )}
    >
      {header}
      <Icon
        aria-hidden
        className={cx('size-3.5 shrink-0 print:hidden', direction === 'none' && 'opacity-50')}
      />
    </button>
  );
}

type Sortable<Row> = { key: string; header: string; sortBy?: SortBy<Row> };

/** All ways to sort, for where there are no column headers to click. */
export function SortSelect<Row>({
  columns,
  sort: { sort, choose, own },
  className,
}: {
  columns: readonly Sortable<Row>[];
  sort: TableSort;
  className?: string;
}) {
  const { t } = useTranslation('common');
  const options = columns.flatMap(({ key, header: column, sortBy }) => {
    if (!sortBy) return [];
    const kind = 'text' in sortBy ? 'text' : 'number' in sortBy ? 'number' : 'time';
    return DIRECTIONS.map((direction) => ({
      value: sortText({ key, direction }),
      label: t(`sort.${kind}_${direction}`, { column }),
    }));
  });
  return (
    <Select
      aria-label={t('sort.label')}
      {...(className && { className })}
      value={sort ? sortText(sort) : ''}
      onChange={({ target }) => choose(sortIn(target.value, columns))}
      options={own ? options : [{ value: '', label: t('sort.own') }, ...options]}
    />
  );
}

/** The space of items that are not rendered. */
export const ItemsAway = ({ height }: { height: number }) =>
  height > 0 && <li aria-hidden className="border-0" style={{ height }} />;
