import type { UsageRow } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NotLoaded } from '../../app/loaded.tsx';
import { useSort } from '../../app/use-sort.ts';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import type { SortBy } from '../../ui/sort.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { useFormats } from './use-formats.ts';

export type UsageViewProps = {
  title: string;
  /** What the rows are: the head of the table's first column. */
  rowsAre: string;
  usage: { currentData?: UsageRow[] | undefined; error?: unknown; refetch: () => unknown };
  nameOf: (row: UsageRow) => string;
  /** How the table's first column sorts; by the names unless given. */
  sortBy?: SortBy<UsageRow>;
  /** By what name the table's sort stands in the address. */
  sortName: string;
  /** The picture of the rows. */
  children: (rows: readonly UsageRow[]) => ReactNode;
};

/** A picture of usage, and the same as a table behind a switch. */
export function UsageView({ title, usage, children, ...table }: UsageViewProps) {
  const { t } = useTranslation('credits');
  const [asTable, setAsTable] = useState(false);
  // Not `data`: that would show one range's rows under another's words while they are loaded.
  const { currentData: rows, error, refetch } = usage;
  const empty = rows?.every(({ count, credits }) => count === 0 && credits === 0);
  return (
    <CardSection
      title={title}
      className="min-w-0"
      actions={
        rows &&
        !empty && (
          <Button size="sm" variant="ghost" className="-mr-2" onClick={() => setAsTable(!asTable)}>
            {asTable ? t('usage.asChart') : t('usage.asTable')}
            <span className="sr-only">{title}</span>
          </Button>
        )
      }
    >
      {!rows && (
        <NotLoaded
          error={error}
          refetch={refetch}
          label={t('usage.loading')}
          count={1}
          skeleton="h-32"
        />
      )}
      {empty && <p className="py-4 text-muted">{t('usage.empty')}</p>}
      {rows && !empty && !asTable && children(rows)}
      {rows && !empty && asTable && <UsageTable label={title} rows={rows} {...table} />}
    </CardSection>
  );
}

function UsageTable({
  label,
  rowsAre,
  rows,
  nameOf,
  sortBy = { text: nameOf },
  sortName,
}: {
  label: string;
  rows: readonly UsageRow[];
} & Omit<UsageViewProps, 'title' | 'usage' | 'children'>) {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const columns: Column<UsageRow>[] = [
    { key: 'name', header: rowsAre, cell: nameOf, sortBy, className: 'w-full max-w-0 truncate' },
    {
      key: 'credits',
      header: t('usage.credits'),
      numeric: true,
      sortBy: { number: ({ credits }) => credits },
      cell: ({ credits }) => number(credits),
    },
    {
      key: 'count',
      header: t('usage.count'),
      numeric: true,
      sortBy: { number: ({ count }) => count },
      cell: ({ count }) => number(count),
    },
  ];
  const sort = useSort(sortName, columns);
  return (
    <Table
      narrow
      label={label}
      columns={columns}
      rows={rows}
      rowKey={({ key }) => key}
      sort={sort}
    />
  );
}
