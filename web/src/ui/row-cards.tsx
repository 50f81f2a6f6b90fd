import { Fragment, memo, type ReactNode } from 'react';
import { cx } from './cx.ts';
import {
  type Column,
  moveThroughRows,
  openClicked,
  type PlacedProps,
  RowActions,
  RowCheckbox,
  rowClass,
  type TableProps,
  usePlacedRows,
} from './table-rows.tsx';

/** The rows as cards, each headed by the first column. */
export function RowCards<Row>(props: TableProps<Row>) {
  const { label, rows, long } = props;
  const { placed } = usePlacedRows(props);
  return (
    <ul
      ref={long?.list}
      onKeyDown={moveThroughRows}
      onClick={openClicked(props)}
      aria-label={label}
      className="-mx-4 -mb-4 divide-y divide-line border-t border-line"
    >
      {placed.map(({ gap, of }) => (
        <Fragment key={of.id}>
          <ItemsAway height={gap} />
          <Card {...of} count={rows.length} />
        </Fragment>
      ))}
      <ItemsAway height={long?.gapAfter ?? 0} />
    </ul>
  );
}

/** Memoized: not rendered again while the page scrolls. */
const Card = memo(function Card<Row>(props: PlacedProps<Row> & { count: number }) {
  const { row, id, index, count, columns, actions, opening, selecting, order, measure } = props;
  const isOpen = opening?.current === id;
  const [first, ...others] = columns;
  return (
    <li
      ref={measure}
      data-row={id}
      data-index={index}
      aria-current={isOpen ? 'true' : undefined}
      {...(measure && { 'aria-posinset': index + 1, 'aria-setsize': count })}
      className={cx('px-4 py-3 text-sm', rowClass(opening, isOpen))}
    >
      <div className="flex min-h-9 items-center justify-between gap-3">
        <RowCheckbox row={row} id={id} order={order} selecting={selecting} />
        <div className="min-w-0 flex-1 font-medium">{first?.cell(row)}</div>
        <RowActions row={row} actions={actions} opening={opening} />
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

/** The space of items that are not rendered. */
const ItemsAway = ({ height }: { height: number }) =>
  height > 0 && <li aria-hidden className="border-0" style={{ height }} />;
