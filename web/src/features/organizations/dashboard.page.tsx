import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { LOW_CREDITS } from '@tallyhand/contracts/features/credits/credits.prices';
import { createArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import type {
  Organization,
  OrganizationStats,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import type { Task, TaskStats } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { listInvitations } from '@tallyhand/contracts/features/team/team.endpoints';
import { createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { ArrowRight, BookOpen, Bot, Coins, ListChecks, Users, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { asRead } from '../../app/api.ts';
import { LoadFailed } from '../../app/loaded.tsx';
import { Page } from '../../app/page.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { CardSection, StatCard, statRows } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Link } from '../../ui/link.tsx';
import { Loading, Skeleton, Skeletons } from '../../ui/loading.tsx';
import { Progress, percentOf } from '../../ui/progress.tsx';
import { remembered } from '../../ui/remembered.ts';
import { askForAgents, useListAgentsQuery } from '../agents/agents.api.ts';
import { GALLERY_PATH } from '../agents/gallery-path.ts';
import { useFormats } from '../credits/use-formats.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { TaskLinks } from '../tasks/task-links.tsx';
import {
  askForTaskStats,
  askForTasks,
  useGetTaskStatsQuery,
  useListTasksQuery,
} from '../tasks/tasks.api.ts';
import { useBalancePlace } from './credit-badge.tsx';
import { FirstSteps, useFirstSteps } from './first-steps.tsx';
import { LatestDays } from './latest-days.tsx';
import { BALANCE_UNUSED, LowCredits, usedPercent } from './low-credits.tsx';
import {
  askForOrganizationStats,
  useGetOrganizationQuery,
  useGetOrganizationStatsQuery,
} from './organizations.api.ts';

const SHOWN = 5;

/** What the page shows first. */
export const dashboardReads = [
  askForOrganizationStats,
  askForTaskStats,
  askForAgents,
  () => askForTasks(SHOWN),
] as const;

export function DashboardPage() {
  const { t } = useTranslation('organizations');
  const user = useCurrentUser();
  const { data: organization } = useGetOrganizationQuery(undefined, asRead<Organization>());
  const balance = organization?.creditBalance;
  const way = useFirstSteps();
  const create = mayCall(user.role, createAgent) && (
    <ButtonLink variant={way.next ? 'secondary' : 'primary'} to="/agents">
      {t('createAgent')}
    </ButtonLink>
  );
  return (
    <Page
      tab={t('title')}
      title={t(remembered('registered') ? 'welcomeNew' : 'welcome', { username: user.username })}
      description={organization?.name || user.organization.name || t('organizationFallback')}
      // The first steps have the primary action while they are shown.
      action={way.next && create}
      primary={!way.next && create}
    >
      {balance !== undefined && balance < LOW_CREDITS && <LowCredits balance={balance} />}
      <FirstSteps way={way} />
      <DashboardStats />
      <div className="grid items-start gap-6 md:grid-cols-3">
        <div className="flex min-w-0 flex-col gap-6 md:col-span-2">
          <LatestDays />
          <RecentActivity />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <QuickActions role={user.role} />
          <Performance balance={balance} />
        </div>
      </div>
    </Page>
  );
}

/** To the same pages for everybody, named by what one may do there. */
function QuickActions({ role }: { role: Role }) {
  const { t } = useTranslation('organizations');
  const actions = [
    {
      to: '/agents',
      icon: Bot,
      label: mayCall(role, createAgent) ? t('quick.agents') : t('quick.seeAgents'),
    },
    {
      to: '/knowledge',
      icon: BookOpen,
      label: mayCall(role, createArticle) ? t('quick.knowledge') : t('quick.seeKnowledge'),
    },
    {
      to: '/tools',
      icon: Wrench,
      label: mayCall(role, createTool) ? t('quick.tools') : t('quick.seeTools'),
    },
    ...(mayCall(role, listInvitations)
      ? [{ to: '/team', icon: Users, label: t('quick.team') }]
      : []),
  ];
  return (
    <CardSection title={t('quick.title')}>
      <ul className="-mx-2 flex flex-col">
        {actions.map(({ to, icon: Icon, label }) => (
          <li key={to}>
            <Link
              to={to}
              className="flex h-9 items-center gap-3 rounded-md px-2 transition-colors duration-150 ease-out hover:bg-sunken"
            >
              <Icon aria-hidden className="size-4 text-muted" />
              <span className="flex-1">{label}</span>
              <ArrowRight aria-hidden className="size-4 text-muted" />
            </Link>
          </li>
        ))}
      </ul>
    </CardSection>
  );
}

function Performance({ balance = BALANCE_UNUSED }: { balance?: number }) {
  const { t } = useTranslation('organizations');
  const { data: counts } = useGetOrganizationStatsQuery(undefined, asRead<OrganizationStats>());
  const { data: stats } = useGetTaskStatsQuery(undefined, asRead<TaskStats>());
  const { number } = useFormats();
  const shareOf = (part = 0, total = 0) =>
    total > 0 ? t('performance.of', { part: number(part), total: number(total) }) : '–';
  return (
    <CardSection title={t('performance.title')}>
      <div className="flex flex-col gap-4">
        <Progress
          label={t('performance.successRate')}
          percent={percentOf(stats?.success ?? 0, stats?.total ?? 0)}
          detail={shareOf(stats?.success, stats?.total)}
        />
        <Progress
          label={t('performance.activeAgents')}
          percent={percentOf(counts?.activeAgents ?? 0, counts?.agents ?? 0)}
          detail={shareOf(counts?.activeAgents, counts?.agents)}
        />
        <Progress
          label={t('performance.creditUsage')}
          percent={usedPercent(balance)}
          detail={
            balance <= BALANCE_UNUSED
              ? t('performance.leftOf', { part: number(balance), total: number(BALANCE_UNUSED) })
              : t('performance.left', { part: number(balance) })
          }
        />
      </div>
    </CardSection>
  );
}

/** Four figures, each leading to what it counts. */
function DashboardStats() {
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

/** The latest tasks, each leading to its details. */
function RecentActivity() {
  const { t } = useTranslation('organizations');
  const { data: tasks } = useListTasksQuery({ limit: SHOWN }, asRead<Task[]>());
  return (
    <CardSection
      title={t('recent.title')}
      actions={
        tasks &&
        tasks.length > 0 && (
          <Link to="/tasks" className="rounded-sm text-accent underline-offset-4 hover:underline">
            {t('recent.all')}
          </Link>
        )
      }
    >
      <LatestTasks />
    </CardSection>
  );
}

function LatestTasks() {
  const { t } = useTranslation('organizations');
  const { t: ofTasks } = useTranslation('tasks');
  const { data: tasks, error, refetch } = useListTasksQuery({ limit: SHOWN }, asRead<Task[]>());
  const { data: agents = [], isLoading: isNaming } = useListAgentsQuery(
    undefined,
    asRead<Agent[]>(),
  );
  const mayCreate = mayCall(useCurrentUser().role, createAgent);
  if (!tasks && error) return <LoadFailed error={error} onRetry={refetch} />;
  // Until the names are loaded it is unknown which agent is gone.
  if (!tasks || isNaming) {
    return (
      <Loading label={t('recent.loading')} className="flex flex-col">
        <Skeletons count={SHOWN} className="my-3 h-6" />
      </Loading>
    );
  }
  if (tasks.length === 0) {
    const [agent] = agents;
    const createFirst = <ButtonLink to={GALLERY_PATH}>{t('recent.emptyAction')}</ButtonLink>;
    const askAgent = agent && (
      <ButtonLink to={`/agents/${agent.id}/execute`}>{t('firstSteps.task.action')}</ButtonLink>
    );
    return (
      <EmptyState
        icon={ListChecks}
        title={t('recent.empty')}
        description={t('recent.emptyDescription')}
        action={agent ? askAgent : mayCreate && createFirst}
      />
    );
  }
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  return (
    <TaskLinks
      tasks={tasks}
      nameOf={({ agentId }) => names.get(agentId) ?? ofTasks('unknownAgent')}
      detailOf={({ input }) => input || ofTasks('noInput')}
    />
  );
}
