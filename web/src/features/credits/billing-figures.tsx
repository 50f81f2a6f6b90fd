import { LOW_CREDITS } from '@tallyhand/contracts/features/credits/credits.prices';
import { CalendarDays, Coins, ListChecks, TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { StatCard, statRows } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { ProgressBar } from '../../ui/progress.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import { useGetTaskStatsQuery } from '../tasks/tasks.api.ts';
import { useFormats } from './use-formats.ts';

/** The number of tasks at which the bar of the month is full. */
const MONTH_SCALE = 100;

export function BillingFigures() {
  return (
    <div className="grid grid-cols-2 gap-4 md:grid-cols-3">
      <AvailableCredits />
      <TaskFigures />
    </div>
  );
}

function AvailableCredits() {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const { data } = useGetOrganizationQuery();
  const reserved = data?.reserved ?? 0;
  const setAside =
    reserved > 0
      ? t('figures.reserved', { formatted: number(reserved) })
      : t('figures.availableDetail');
  const low = data !== undefined && data.creditBalance < LOW_CREDITS;
  return (
    <div className={cx(statRows, 'col-span-2 md:col-span-1')}>
      <StatCard
        label={t('figures.available')}
        icon={low ? <TriangleAlert aria-hidden className="text-danger" /> : <Coins aria-hidden />}
        value={data ? number(data.creditBalance) : <Figure />}
        detail={low ? t('figures.low') : setAside}
      />
    </div>
  );
}

function TaskFigures() {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const { data } = useGetTaskStatsQuery();
  const thisMonth = data?.createdThisMonth ?? 0;
  return (
    <>
      <StatCard
        label={t('figures.completed')}
        icon={<ListChecks aria-hidden />}
        value={data ? number(data.success) : <Figure />}
        detail={t('figures.created', { count: thisMonth, formatted: number(thisMonth) })}
      />
      <StatCard
        label={t('figures.monthly')}
        icon={<CalendarDays aria-hidden />}
        value={data ? number(thisMonth) : <Figure />}
        detail={
          <span className="flex items-center gap-3 max-sm:flex-col max-sm:items-stretch max-sm:gap-1">
            {t('figures.monthlyDetail')}
            <span className="min-w-0 flex-1">
              <ProgressBar label={t('figures.monthly')} percent={(thisMonth / MONTH_SCALE) * 100} />
            </span>
          </span>
        }
      />
    </>
  );
}

const Figure = () => <Skeleton className="my-1.5 w-12" />;
