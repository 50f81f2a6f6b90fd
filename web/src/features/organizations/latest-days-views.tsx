import {
  TASK_STATS_DAYS,
  type TaskStats,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSort } from '../../app/use-sort.ts';
import { CardSection } from '../../ui/card.tsx';
import { ChartSwitch } from '../../ui/chart-switch.tsx';
import { ColumnChart, type ColumnValue } from '../../ui/charts.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useFormats } from '../credits/use-formats.ts';

type Day = TaskStats['latestDays'][number];

/** The tasks and the credits of the last days, each as a small chart, or both as a table. */
export function DaysCard({ days }: { days: readonly Day[] }) {
  const { t } = useTranslation('organizations');
  const [asTable, setAsTable] = useState(false);
  const title = t('latestDays.title', { count: TASK_STATS_DAYS });
  return (
    <CardSection
      title={title}
      actions={<ChartSwitch title={title} asTable={asTable} onChange={setAsTable} />}
    >
      {asTable ? <DaysTable label={title} days={days} /> : <DaysCharts days={days} />}
    </CardSection>
  );
}

function DaysCharts({ days }: { days: readonly Day[] }) {
  const { day } = useFormats();
  const columns = (figureOf: (row: Day) => number) =>
    days.map((row) => ({ key: row.day, label: day(row.day), value: figureOf(row) }));
  return (
    <div className="grid gap-6 sm:grid-cols-2">
      <SmallChart what="tasks" columns={columns(({ tasks }) => tasks)} />
      <SmallChart what="credits" columns={columns(({ credits }) => credits)} />
    </div>
  );
}

/** The sum, or the day under the pointer, above the columns. */
function SmallChart({
  what,
  columns,
}: {
  what: 'tasks' | 'credits';
  columns: readonly ColumnValue[];
}) {
  const { t } = useTranslation('organizations');
  const { number } = useFormats();
  const [pointed, setPointed] = useState<ColumnValue>();
  const words = (count: number) => t(`latestDays.${what}`, { count, formatted: number(count) });
  const total = words(columns.reduce((sum, { value }) => sum + value, 0));
  const shown = columns.map(({ label, value }) => `${label}: ${number(value)}`).join(', ');
  return (
    <div className="min-w-0">
      <p className="tabular text-muted">
        {pointed ? `${pointed.label}: ${words(pointed.value)}` : total}
      </p>
      <ColumnChart
        size="sm"
        summary={`${total}. ${shown}`}
        columns={columns}
        format={number}
        onPoint={setPointed}
      />
    </div>
  );
}

function DaysTable({ label, days }: { label: string; days: readonly Day[] }) {
  const { t } = useTranslation('organizations');
  const { day, number } = useFormats();
  const columns: Column<Day>[] = [
    {
      key: 'day',
      header: t('latestDays.day'),
      cell: (row) => day(row.day),
      sortBy: { time: (row) => row.day },
      className: 'w-full',
    },
    {
      key: 'tasks',
      header: t('latestDays.taskCount'),
      numeric: true,
      sortBy: { number: ({ tasks }) => tasks },
      cell: ({ tasks }) => number(tasks),
    },
    {
      key: 'credits',
      header: t('latestDays.creditCount'),
      numeric: true,
      sortBy: { number: ({ credits }) => credits },
      cell: ({ credits }) => number(credits),
    },
  ];
  const sort = useSort('days-sort', columns);
  return (
    <Table
      narrow
      label={label}
      columns={columns}
      rows={days}
      rowKey={(row) => row.day}
      sort={sort}
    />
  );
}
