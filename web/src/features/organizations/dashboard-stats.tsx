import type {
  Organization,
  OrganizationStats,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import type { TaskStats } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { BookOpen, Bot, Coins, ListChecks } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { asRead } from '../../app/api.ts';
import { StatCard, statRows } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { numberFormat } from '../../ui/formats.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useGetTaskStatsQuery } from '../tasks/tasks.api.ts';
import { useGetOrganizationQuery, useGetOrganizationStatsQuery } from './organizations.api.ts';
import { useBalancePlace } from './use-balance-place.ts';

/** Four figures, each leading to what it counts. */
export function DashboardStats() {
  const { t, i18n } = useTranslation('organizations');
  const counts = useGetOrganizationStatsQuery(undefined, asRead<OrganizationStats>()).data;
  const stats = useGetTaskStatsQuery(undefined, asRead<TaskStats>()).data;
  const organization = useGetOrganizationQuery(undefined, asRead<Organization>()).data;
  const format = (value: number | undefined) =>
    value === undefined ? (
      <Skeleton className="my-1.5 w-12" />
    ) : (
      numberFormat(i18n.language).format(value)
    );
  const balancePlace = useBalancePlace();
  const reserved = organization?.reserved ?? 0;
  return (
    <ul aria-label={t('stats.label')} className="grid grid-cols-2 gap-4 md:grid-cols-4">
      <Figure to="/agents">
        <StatCard
          label={t('stats.activeAgents')}
          icon={<Bot aria-hidden />}
          value={format(counts?.activeAgents)}
          detail={t('stats.ofAgents', { total: counts?.agents ?? 0 })}
        />
      </Figure>
      <Figure to="/tasks">
        <StatCard
          label={t('stats.tasksCompleted')}
          icon={<ListChecks aria-hidden />}
          value={format(stats?.success)}
          detail={t('stats.ofTasks', { total: stats?.total ?? 0 })}
        />
      </Figure>
      <Figure to={balancePlace}>
        <StatCard
          label={t('stats.creditsRemaining')}
          icon={<Coins aria-hidden />}
          value={format(organization?.creditBalance)}
          detail={
            reserved > 0
              ? t('stats.reserved', {
                  count: reserved,
                  formatted: numberFormat(i18n.language).format(reserved),
                })
              : t('stats.available')
          }
        />
      </Figure>
      <Figure to="/knowledge">
        <StatCard
          label={t('stats.articles')}
          icon={<BookOpen aria-hidden />}
          value={format(counts?.articles)}
          detail={t('stats.articlesDetail')}
        />
      </Figure>
    </ul>
  );
}

function Figure({ to, children }: { to: string; children: ReactNode }) {
  return (
    <li className={cx(statRows, 'min-w-0')}>
      <Link
        to={to}
        className={cx(
          statRows,
          'min-w-0 rounded-lg transition-colors duration-150 ease-out [&>div]:hover:border-border',
        )}
      >
        {children}
      </Link>
    </li>
  );
}
