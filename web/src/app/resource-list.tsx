import type { RowData } from '@tanstack/react-table';
import { EllipsisVertical } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { HeaderButton } from '../ui/button.tsx';
import { DropdownMenu } from '../ui/dropdown-menu.tsx';
import { Link } from '../ui/link.tsx';
import { EmptyState } from '../ui/states.tsx';
import { Table, type TableProps } from '../ui/table.tsx';
import { Loaded, type LoadingLayout, type Query } from './loaded.tsx';
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
  children: (item: Item) => ReactNode;
};

const GRID = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3';
const SKELETONS = 6;

/** A list of resources as cards. */
export function ResourceGrid<Item extends { id: string }>(props: GridProps<Item>) {
  const { query, found, label, loading, skeleton, empty, children } = props;
  const layout = { label: loading, count: SKELETONS, skeleton, className: GRID };
  if (query.data?.length === 0) return <EmptyState {...empty} />;
  return (
    <Loaded query={found?.query ?? query} loading={layout}>
      {(items) =>
        items.length === 0 ? (
          found?.none
        ) : (
          <ul aria-label={label} className={GRID}>
            {items.map((item) => (
              <li key={item.id} className="long-list-card min-w-0">
                {children(item)}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
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
      className="flex h-full flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <div className="flex items-start gap-2">
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
