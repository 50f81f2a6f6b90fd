import type { UsageRow } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ColumnChart, type ColumnValue } from '../../ui/column-chart.tsx';
import { useGetUsageQuery } from './credits.api.ts';
import type { UsageDays } from './usage-range.ts';
import { UsageView } from './usage-view.tsx';
import { useFormats } from './use-formats.ts';

export type DayRange = { from: string; to: string };

export function DailyUsage({ range, days }: { range: DayRange; days: UsageDays }) {
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
