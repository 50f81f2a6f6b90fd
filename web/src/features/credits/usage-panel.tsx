import type { UsageRow } from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { WorkType } from '@tallyhand/contracts/features/credits/paid-work';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NotLoaded } from '../../app/loaded.tsx';
import { useSearchParam } from '../../app/use-address.ts';
import { useSort } from '../../app/use-sort.ts';
import { CardSection } from '../../ui/card.tsx';
import { ChartSwitch } from '../../ui/chart-switch.tsx';
import { BarList, ColumnChart, type ColumnValue } from '../../ui/charts.tsx';
import { Select } from '../../ui/field.tsx';
import type { SortBy } from '../../ui/sort.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { ModelUsageCards } from '../models/model-usage-cards.tsx';
import { useGetUsageQuery } from './credits.api.ts';
import { lastDays, USAGE_DAYS, type UsageDays, usageDays } from './moments.ts';
import { useFormats } from './use-formats.ts';

/** What credits were spent on, `?days=7|30|90`: by day, agent, member and type. */
export function UsagePanel() {
  const { t } = useTranslation('credits');
  const [asked, setAsked] = useSearchParam('days');
  const days = usageDays(asked);
  const range = lastDays(days, Date.now());
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">{t('usage.description')}</p>
        <Select
          aria-label={t('usage.range')}
          className="w-full sm:w-44"
          value={String(days)}
          onChange={({ target }) => setAsked(target.value)}
          options={USAGE_DAYS.map((count) => ({
            value: String(count),
            label: t('usage.lastDays', { count }),
          }))}
        />
      </div>
      <DailyUsage range={range} days={days} />
      <div className="grid items-start gap-6 md:grid-cols-3">
        <SharedUsage by="agent" range={range} />
        <SharedUsage by="member" range={range} />
        <SharedUsage by="type" range={range} />
      </div>
      <ModelUsageCards range={range} />
    </>
  );
}

const BARS_MAX = 8;

type Sharing = 'agent' | 'member' | 'type';

/** How much each agent, member or type spent, the largest first. */
function SharedUsage({ by, range }: { by: Sharing; range: DayRange }) {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const usage = useGetUsageQuery({ by, ...range });
  const nameOf = useNameOf(by);
  const title = t(`usage.by.${by}`);
  return (
    <UsageView
      title={title}
      rowsAre={t(`usage.${by}`)}
      usage={usage}
      nameOf={nameOf}
      sortName={`${by}-usage-sort`}
    >
      {(rows) => (
        <>
          <BarList
            label={title}
            bars={rows.slice(0, BARS_MAX).map((row) => ({
              key: row.key,
              label: nameOf(row),
              value: row.credits,
              figure: number(row.credits),
            }))}
          />
          {rows.length > BARS_MAX && (
            <p className="mt-3 text-xs text-muted">
              {t('usage.others', { count: rows.length - BARS_MAX })}
            </p>
          )}
        </>
      )}
    </UsageView>
  );
}

function useNameOf(by: Sharing) {
  const { t } = useTranslation('credits');
  return ({ key, name }: UsageRow): string => {
    if (by === 'type') {
      return t(`workTypes.${key as WorkType}`);
    }
    if (name) return name;
    if (key === 'none') return t('usage.nobody');
    return by === 'agent' ? t('formerAgent') : t('formerMember');
  };
}

type DayRange = { from: string; to: string };

function DailyUsage({ range, days }: { range: DayRange; days: UsageDays }) {
  const { t } = useTranslation('credits');
  const { day } = useFormats();
  const usage = useGetUsageQuery({ by: 'day', ...range });
  return (
    <UsageView
      title={t('usage.byDay')}
      rowsAre={t('usage.day')}
      usage={usage}
      nameOf={({ key }) => day(key)}
      sortBy={{ time: ({ key }) => key }}
      sortName="day-usage-sort"
    >
      {(rows) => <Days rows={rows} days={days} />}
    </UsageView>
  );
}

/** The sum in words, or the day that the pointer is on, above the columns. */
function Days({ rows, days }: { rows: readonly UsageRow[]; days: UsageDays }) {
  const { t } = useTranslation('credits');
  const { day, number } = useFormats();
  const [pointed, setPointed] = useState<ColumnValue>();
  const total = rows.reduce((sum, { credits }) => sum + credits, 0);
  const [busiest] = rows.toSorted((a, b) => b.credits - a.credits);
  const spent = (count: number) => t('usage.spent', { count, formatted: number(count) });
  const all = `${spent(total)} ${t('usage.inDays', { count: days })}`;
  const most = busiest
    ? t('usage.busiest', { day: day(busiest.key), formatted: number(busiest.credits) })
    : '';
  return (
    <>
      <p className="tabular text-muted">
        {pointed ? `${pointed.label}: ${spent(pointed.value)}` : all}
      </p>
      <ColumnChart
        summary={`${all}. ${most}`}
        columns={rows.map(({ key, credits }) => ({ key, label: day(key), value: credits }))}
        format={number}
        onPoint={setPointed}
      />
    </>
  );
}

type UsageViewProps = {
  title: string;
  /** What the rows are: the head of the table's first column. */
  rowsAre: string;
  usage: { currentData?: UsageRow[] | undefined; error?: unknown; refetch: () => unknown };
  nameOf: (row: UsageRow) => string;
  /** How the table's first column sorts; by the names unless given. */
  sortBy?: SortBy<UsageRow>;
  /** The parameter of the address with the table's sort. */
  sortName: string;
  /** The picture of the rows. */
  children: (rows: readonly UsageRow[]) => ReactNode;
};

/** A picture of usage, and the same as a table behind a switch. */
function UsageView({ title, usage, children, ...table }: UsageViewProps) {
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
        rows && !empty && <ChartSwitch title={title} asTable={asTable} onChange={setAsTable} />
      }
    >
      {!rows && (
        <NotLoaded
          query={{ error, refetch }}
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
