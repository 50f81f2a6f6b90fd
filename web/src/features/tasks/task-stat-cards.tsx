import { CircleCheck, CircleX, Coins, ListChecks } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { StatCard } from '../../ui/card.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useGetTaskStatsQuery } from './tasks.api.ts';

export function TaskStatCards() {
  const { t, i18n } = useTranslation('tasks');
  const { data } = useGetTaskStatsQuery();
  const format = (value: number | undefined) =>
    value === undefined ? (
      <Skeleton className="my-1.5 w-12" />
    ) : (
      numberFormat(i18n.language).format(value)
    );
  return (
    <div className="grid grid-cols-2 gap-4 md:grid-cols-4">
      <StatCard
        label={t('stats.total')}
        icon={<ListChecks aria-hidden />}
        value={format(data?.total)}
      />
      <StatCard
        label={t('stats.successful')}
        icon={<CircleCheck aria-hidden />}
        value={format(data?.success)}
      />
      <StatCard
        label={t('stats.failed')}
        icon={<CircleX aria-hidden />}
        value={format(data?.failed)}
      />
      <StatCard
        label={t('stats.creditsUsed')}
        icon={<Coins aria-hidden />}
        value={format(data?.creditsUsed)}
      />
    </div>
  );
}
