import {
  TASK_STATS_DAYS,
  type TaskStats,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useTranslation } from 'react-i18next';
import { asRead } from '../../app/api.ts';
import { laterPart } from '../../app/part.ts';
import { CardSection } from '../../ui/card.tsx';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { useGetTaskStatsQuery } from '../tasks/tasks.api.ts';

const DaysCard = laterPart(
  ['organizations'],
  async () => (await import('./latest-days-views.tsx')).DaysCard,
  DaysLoading,
);

/** The charts of the last days, loaded when there is something to draw. */
export function LatestDays() {
  const { data: stats, error } = useGetTaskStatsQuery(undefined, asRead<TaskStats>());
  // The cards above report what could not be loaded; charts of nothing help no newcomer.
  if (stats ? stats.total === 0 : error) return null;
  if (!stats) return <DaysLoading />;
  return <DaysCard days={stats.latestDays} />;
}

function DaysLoading() {
  const { t } = useTranslation('organizations');
  return (
    <CardSection title={t('latestDays.title', { count: TASK_STATS_DAYS })}>
      <Loading label={t('latestDays.loading')} className="grid gap-6 sm:grid-cols-2">
        <Skeletons count={2} className="h-35" />
      </Loading>
    </CardSection>
  );
}
