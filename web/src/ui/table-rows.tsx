import { PanelRight } from 'lucide-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
} from 'react';
import { cx } from './cx.ts';
import { IconButton } from './icon-button.tsx';
import { clickedRow, type RowOpening } from './row-opening.ts';
import type { Selection } from './selection.ts';
import type { SortBy, TableSort } from './sort.ts';
import type { TableLayout } from './table-layout.ts';
import type { LongList } from './use-long-list.ts';

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
  /** Not needed beside an open panel; a card on a phone has it. */
  leftOutBeside?: boolean;
  className?: string;
};

export type TableProps<Row> = {
  label: string;
  /** Lets the user hide and resize columns, which the browser remembers by this name. */
  name?: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** The actions of a row: at its right, and at the right of a card's header. */
  actions?: (row: Row) => ReactNode;
  actionsLabel?: string;
  /** Lets the user select rows; `label` names the checkbox of a row. */
  selecting?: Selection & { label: (row: Row) => string };
  /** How a row is opened, where it has details. */
  opening?: RowOpening<Row>;
  /** How the rows are sorted, by the columns that have an order. */
  sort?: TableSort;
  /** How many of the sorted rows are shown; all by default. */
  first?: number;
  /** Narrow enough to stay a table on a phone. */
  narrow?: boolean;
  /** The rows to render of a long table; all by default. */
  long?: LongList;
};

const actionsOf = (row: Element) => [...row.querySelectorAll<HTMLElement>('a, button')];

/** Up and down move to the same action of the next row. */
export function moveThroughRows(event: KeyboardEvent<HTMLElement>) {
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

/** Opens the row that is clicked. Its button does the same for the keyboard. */
export function openClicked<Row>({ rows, opening }: TableProps<Row>) {
  if (!opening) return undefined;
  return (event: MouseEvent<HTMLElement>) => {
    const row = rows[clickedRow(event) ?? -1];
    if (row !== undefined) opening.show(row);
  };
}

/** A row as a line or a card. */
export type PlacedProps<Row> = Pick<
  TableProps<Row>,
  'columns' | 'actions' | 'opening' | 'selecting'
> & {
  /** The keys of all rows, in a ref: rows stay as they are while others come and go. */
  order: RefObject<readonly string[]>;
  row: Row;
  /** Its key. */
  id: string;
  index: number;
  measure: LongList['measure'];
};

/** The rows to render, and the keys of all; `gap`: the height of those left out before a row. */
export function usePlacedRows<Row>(props: TableProps<Row>) {
  const { columns, rows, rowKey, actions, opening, selecting, long } = props;
  const keys = rows.map(rowKey);
  const order = useRef<readonly string[]>(keys);
  useEffect(() => {
    order.current = keys;
  });
  const measure = long?.measure;
  const shared = { columns, actions, opening, selecting, order, measure };
  const places = long?.rows ?? rows.map((_row, index) => ({ index, gap: 0 }));
  const placed = places.flatMap(({ index, gap }): { gap: number; of: PlacedProps<Row> }[] => {
    const row = rows[index];
    return row === undefined ? [] : [{ gap, of: { ...shared, row, id: rowKey(row), index } }];
  });
  return { placed, keys };
}

export const rowClass = (opening: object | undefined, isOpen: boolean) =>
  opening &&
  cx(
    // Not at the very edge when it is scrolled to.
    'scroll-mt-20 scroll-mb-20 cursor-pointer transition-colors duration-150 ease-out hover:bg-sunken/60',
    isOpen && 'bg-sunken',
  );

/** A column that the user resized is as wide as that, whatever is in it. */
export function sizeOf({ key }: { key: string }, layout: TableLayout | undefined) {
  const width = layout?.widths[key];
  return width === undefined ? undefined : { width, minWidth: width, maxWidth: width };
}

/** Selects a row; with Shift also those since the last one. */
export function RowCheckbox<Row>({
  row,
  id,
  order,
  selecting,
}: Pick<PlacedProps<Row>, 'row' | 'id' | 'order' | 'selecting'>) {
  if (!selecting) return null;
  return (
    <Checkbox
      label={selecting.label(row)}
      state={selecting.chosen.has(id) ? 'all' : 'none'}
      onClick={({ shiftKey }) => selecting.toggle(id, order.current, shiftKey)}
    />
  );
}

type CheckboxProps = {
  label: string;
  state: 'all' | 'some' | 'none';
  onClick: (event: MouseEvent) => void;
};

export function Checkbox({ label, state, onClick }: CheckboxProps) {
  return (
    <label className="-m-1.5 inline-flex size-9 items-center justify-center select-none">
      <input
        type="checkbox"
        aria-label={label}
        data-selects
        checked={state === 'all'}
        ref={(box) => {
          if (box) box.indeterminate = state === 'some';
        }}
        onClick={onClick}
        onChange={() => {}}
        className="size-4 accent-accent"
      />
    </label>
  );
}

/** The button that opens a row stands last, where each row has it. */
export function RowActions<Row>({
  row,
  actions,
  opening,
}: Pick<PlacedProps<Row>, 'row' | 'actions' | 'opening'>) {
  if (!opening) return actions?.(row);
  return (
    <span className="inline-flex items-center">
      {actions?.(row)}
      <IconButton
        icon={PanelRight}
        label={opening.label(row)}
        data-opens-row
        onClick={() => opening.show(row)}
      />
    </span>
  );
}
