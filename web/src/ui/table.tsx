import type { RowData } from '@tanstack/react-table';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { Fragment, memo, type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ColumnsMenu, WidthHandle } from './column-controls.tsx';
import { cx } from './cx.ts';
import { Select } from './field.tsx';
import { RowCards } from './row-cards.tsx';
import { useOpenRowInView } from './row-opening.ts';
import { areAllChosen, type Selection } from './selection.ts';
import {
  DIRECTIONS,
  type Direction,
  type SortBy,
  sortIn,
  sortText,
  type TableSort,
  useSorting,
} from './sort.ts';
import { type LayoutState, shownOf, type TableLayout, useTableLayout } from './table-layout.ts';
import {
  Checkbox,
  type Column,
  moveThroughRows,
  openClicked,
  type PlacedProps,
  RowActions,
  RowCheckbox,
  rowClass,
  sizeOf,
  type TableProps,
  usePlacedRows,
} from './table-rows.tsx';
import { usePhone } from './use-media-query.ts';

export type { Column, TableProps };

/** A table; on a phone a list of cards, headed by the first column. */
export function Table<Row extends RowData>(props: TableProps<Row>) {
  const phone = usePhone();
  const { i18n } = useTranslation();
  const sorted = useSorting(props.columns, props.rows, props.sort, i18n.language);
  const { toggle } = sorted;
  const rows = sorted.rows.slice(0, props.first);
  const arranged = useTableLayout(props.name);
  useOpenRowInView(props.opening?.current);
  if (phone && !props.narrow) {
    const { columns, sort } = props;
    return (
      <>
        {sort && rows.length > 1 && <SortSelect columns={columns} sort={sort} className="mb-3" />}
        <RowCards {...props} rows={rows} />
      </>
    );
  }
  return <RowTable {...props} rows={rows} toggle={toggle} arranged={arranged} />;
}

type SortedProps<Row> = TableProps<Row> & {
  toggle: (column: string) => void;
  arranged: LayoutState | undefined;
};

function RowTable<Row>(props: SortedProps<Row>) {
  const { label, rows, opening, long, arranged } = props;
  const layout = arranged?.layout;
  const isBeside = opening?.current !== undefined;
  const columns = useMemo(() => {
    const shown = layout ? shownOf(props.columns, layout) : props.columns;
    // The panel has what is left out beside it.
    return isBeside ? shown.filter((column) => !column.wideOnly && !column.leftOutBeside) : shown;
  }, [props.columns, layout, isBeside]);
  const { placed, keys } = usePlacedRows({ ...props, columns });
  return (
    // Room for the color of a row, and for the ring of focus, which would be cut off.
    <div className="-mx-2 -mt-1 overflow-x-auto pt-1">
      <table
        aria-label={label}
        aria-rowcount={long?.measure && rows.length + 1}
        className="w-full text-sm"
      >
        <Head {...props} keys={keys} columns={columns} all={props.columns} />
        <tbody ref={long?.list} onKeyDown={moveThroughRows} onClick={openClicked(props)}>
          {placed.map(({ gap, of }) => (
            <Fragment key={of.id}>
              <RowsAway height={gap} />
              <BodyRow {...of} layout={layout} />
            </Fragment>
          ))}
          <RowsAway height={long?.gapAfter ?? 0} />
        </tbody>
      </table>
    </div>
  );
}

type LineProps<Row> = PlacedProps<Row> & { layout: TableLayout | undefined };

/** Memoized: not rendered again while the page scrolls. */
const BodyRow = memo(function BodyRow<Row>(props: LineProps<Row>) {
  const { row, id, index, columns, layout, actions, opening, selecting, order, measure } = props;
  const isCompact = layout?.density === 'compact';
  const isOpen = opening?.current === id;
  return (
    <tr
      ref={measure}
      data-row={id}
      data-index={index}
      aria-rowindex={measure && index + 2}
      aria-current={isOpen ? 'true' : undefined}
      className={cx('border-b border-line last:border-0', rowClass(opening, isOpen))}
    >
      {selecting && (
        <td className="w-px py-0 pr-0 pl-2 select-none print:hidden">
          <RowCheckbox row={row} id={id} order={order} selecting={selecting} />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.key}
          style={sizeOf(column, layout)}
          className={cx(
            'px-3 whitespace-nowrap first:pl-2 last:pr-2',
            isCompact ? 'py-1' : 'py-2',
            align(column),
            column.className,
            layout?.widths[column.key] !== undefined && 'truncate',
          )}
        >
          {column.cell(row)}
        </td>
      ))}
      {(actions || opening) && (
        <td
          className={cx(
            'pr-2 pl-3 text-right whitespace-nowrap print:hidden',
            isCompact ? 'py-0' : 'py-1',
          )}
        >
          <RowActions row={row} actions={actions} opening={opening} />
        </td>
      )}
    </tr>
  );
}) as <Row>(props: LineProps<Row>) => ReactNode;

const align = ({ numeric }: { numeric?: boolean }) =>
  numeric ? 'tabular text-right' : 'text-left';

function Head<Row>({
  columns,
  all,
  keys,
  selecting,
  actions,
  actionsLabel,
  opening,
  sort,
  toggle,
  arranged,
}: SortedProps<Row> & { all: readonly Column<Row>[]; keys: readonly string[] }) {
  return (
    <thead>
      <tr className="border-b border-line text-xs text-muted">
        {selecting && (
          <th scope="col" className="w-px py-0 pr-0 pl-2 text-left print:hidden">
            <SelectAll keys={keys} selection={selecting} />
          </th>
        )}
        {columns.map((column) => (
          <th
            key={column.key}
            scope="col"
            style={sizeOf(column, arranged?.layout)}
            // The handle of its width is no part of its name.
            aria-label={arranged && column.header}
            aria-sort={sort && column.sortBy && directionOf(column, sort)}
            className={cx(
              'relative px-3 font-medium whitespace-nowrap first:pl-2 last:pr-2',
              sort && column.sortBy ? 'py-0' : 'py-2',
              align(column),
            )}
          >
            <Heading column={column} sort={sort} toggle={toggle} />
            {arranged && <WidthHandle column={column} {...arranged} />}
          </th>
        ))}
        {(actions || opening) && (
          <th scope="col" className="w-px py-2 pr-2 pl-3 text-right font-medium print:hidden">
            {arranged ? <ColumnsMenu columns={all} {...arranged} /> : actionsLabel}
          </th>
        )}
      </tr>
    </thead>
  );
}

function SelectAll({ keys, selection }: { keys: readonly string[]; selection: Selection }) {
  const { t } = useTranslation('common');
  const { chosen, toggleAll } = selection;
  const some = chosen.size > 0 ? 'some' : 'none';
  return (
    <Checkbox
      label={t('table.selectAll')}
      state={areAllChosen(chosen, keys) ? 'all' : some}
      onClick={() => toggleAll(keys)}
    />
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
