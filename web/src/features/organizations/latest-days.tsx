import {
  TASK_STATS_DAYS,
  type TaskStats,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asRead } from '../../app/api.ts';
import { CardSection } from '../../ui/card.tsx';
import { ColumnChart, type ColumnValue } from '../../ui/charts.tsx';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { useFormats } from '../credits/use-formats.ts';
import { useGetTaskStatsQuery } from '../tasks/tasks.api.ts';

/** The tasks and the credits of the last days, each as a small chart. */
export function LatestDays() {
  const { t } = useTranslation('organizations');
  const { day } = useFormats();
  const { data: stats, error } = useGetTaskStatsQuery(undefined, asRead<TaskStats>());
  // The cards above report what could not be loaded; charts of nothing help no newcomer.
  if (stats ? stats.total === 0 : error) return null;
  const days = stats?.latestDays ?? [];
  const columns = (figureOf: (row: (typeof days)[number]) => number) =>
    days.map((row) => ({ key: row.day, label: day(row.day), value: figureOf(row) }));
  return (
    <CardSection title={t('latestDays.title', { count: TASK_STATS_DAYS })}>
      {stats ? (
        <div className="grid gap-6 sm:grid-cols-2">
          <SmallChart what="tasks" columns={columns(({ tasks }) => tasks)} />
          <SmallChart what="credits" columns={columns(({ credits }) => credits)} />
        </div>
      ) : (
        <Loading label={t('latestDays.loading')} className="grid gap-6 sm:grid-cols-2">
          <Skeletons count={2} className="h-32" />
        </Loading>
      )}
    </CardSection>
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
