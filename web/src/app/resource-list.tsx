import type { RowData } from '@tanstack/react-table';
import { EllipsisVertical } from 'lucide-react';
import { type ComponentProps, type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { HeaderButton } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { DropdownMenu } from '../ui/dropdown-menu.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Link } from '../ui/link.tsx';
import { useSelection } from '../ui/selection.ts';
import { Table, type TableProps } from '../ui/table.tsx';
import { Checkbox } from '../ui/table-rows.tsx';
import type { BulkState } from './bulk-bar.tsx';
import { Loaded, type LoadingLayout, type Query } from './loaded.tsx';
import { PartBoundary } from './page-boundary.tsx';
import { useSort } from './use-sort.ts';

type Empty = ComponentProps<typeof EmptyState>;

type GridProps<Item> = {
  query: Query<readonly Item[]>;
  /** Names the list for a screen reader. */
  label?: string;
  loading: string;
  /** The height of a card, for its skeleton. */
  skeleton: string;
  empty: Empty;
  /** The items that filters find, and what is shown where there are none. */
  found?: { query: Query<readonly Item[]>; none: ReactNode };
  /** Lets the user select cards; `bar` shows what can be done with them. */
  selecting?: {
    /** Names the checkbox of a card. */
    label: (item: Item) => string;
    bar: (state: BulkState<Item>) => ReactNode;
  };
  children: (item: Item) => ReactNode;
};

const GRID = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3';
const SKELETONS = 6;

/** A list of resources as cards. */
export function ResourceGrid<Item extends { id: string }>(props: GridProps<Item>) {
  const { query, found, label, loading, skeleton, empty, selecting, children } = props;
  const layout = { label: loading, count: SKELETONS, skeleton, className: GRID };
  if (query.data?.length === 0) return <EmptyState {...empty} />;
  return (
    <Loaded query={found?.query ?? query} loading={layout}>
      {(items) =>
        items.length === 0 ? (
          found?.none
        ) : (
          <Cards items={items} label={label} selecting={selecting}>
            {children}
          </Cards>
        )
      }
    </Loaded>
  );
}

type CardsProps<Item> = Pick<GridProps<Item>, 'label' | 'selecting' | 'children'> & {
  items: readonly Item[];
};

function Cards<Item extends { id: string }>({
  items,
  label,
  selecting,
  children,
}: CardsProps<Item>) {
  const selection = useSelection();
  // Selecting one renders no card again.
  const cards = useMemo(() => items.map(children), [items, children]);
  const keys = items.map(({ id }) => id);
  return (
    <div>
      <ul aria-label={label} className={GRID}>
        {items.map((item, index) => {
          const isChosen = selection.chosen.has(item.id);
          return (
            <li
              key={item.id}
              className={cx('long-list-card min-w-0', selecting && 'relative')}
              data-selectable={selecting && (isChosen ? 'chosen' : 'yes')}
            >
              {selecting && (
                <div className="absolute top-4 left-3 z-1 print:hidden">
                  <Checkbox
                    label={selecting.label(item)}
                    state={isChosen ? 'all' : 'none'}
                    onClick={({ shiftKey }) => selection.toggle(item.id, keys, shiftKey)}
                  />
                </div>
              )}
              {cards[index]}
            </li>
          );
        })}
      </ul>
      {selecting && selection.chosen.size > 0 && (
        <PartBoundary>{selecting.bar({ items, selection })}</PartBoundary>
      )}
    </div>
  );
}

/** A card of the grid; `open` makes its title a button, `to` a link. */
export function ResourceCard({
  name,
  subtitle,
  open,
  to,
  menu,
  children,
}: {
  name: string;
  subtitle: ReactNode;
  open?: () => void;
  to?: string;
  menu: ReactNode;
  children: ReactNode;
}) {
  return (
    <article
      aria-label={name}
      className="flex h-full flex-col gap-3 rounded-lg border border-line bg-surface p-4 in-data-[selectable=chosen]:border-accent"
    >
      <div className="flex items-start gap-2 in-data-selectable:pl-7 print:pl-0">
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-base font-semibold" title={name}>
            {to && (
              <Link to={to} className="rounded-sm underline-offset-4 hover:underline">
                {name}
              </Link>
            )}
            {!to && open && (
              <button
                type="button"
                onClick={open}
                className="max-w-full truncate rounded-sm text-left underline-offset-4 hover:underline"
              >
                {name}
              </button>
            )}
            {!to && !open && name}
          </h2>
          {subtitle}
        </div>
        <MoreMenu name={name} className="-mt-1 -mr-2">
          {menu}
        </MoreMenu>
      </div>
      {children}
    </article>
  );
}

type MoreMenuProps = { className?: string; children: ReactNode } & (
  | { name: string; label?: never }
  | { label: string; name?: never }
);

/** The menu of one item of a list, labelled by its name unless given. */
export function MoreMenu({ name, label, className, children }: MoreMenuProps) {
  const { t } = useTranslation('common');
  return (
    <DropdownMenu
      trigger={
        <HeaderButton aria-label={label ?? t('actions.more', { name })} className={className}>
          <EllipsisVertical aria-hidden />
        </HeaderButton>
      }
    >
      {children}
    </DropdownMenu>
  );
}

type ResourceTableProps<Row> = Omit<TableProps<Row>, 'rows' | 'sort'> & {
  query: Query<readonly Row[]>;
  loading: LoadingLayout;
  /** Shown in place of a table without rows. */
  empty: ReactNode;
  /** The name by which the address holds how it is sorted. */
  sortName: string;
};

/** A list of resources as a table that its columns sort. */
export function ResourceTable<Row extends RowData>({
  query,
  loading,
  empty,
  ...table
}: ResourceTableProps<Row>) {
  return (
    <Loaded query={query} loading={loading}>
      {(rows) => (rows.length === 0 ? empty : <SortedTable {...table} rows={rows} />)}
    </Loaded>
  );
}

function SortedTable<Row extends RowData>({
  sortName,
  columns,
  rows,
  ...table
}: Omit<TableProps<Row>, 'sort'> & { sortName: string }) {
  return <Table {...table} columns={columns} rows={rows} sort={useSort(sortName, columns)} />;
}
