import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { LOW_CREDITS } from '@tallyhand/contracts/features/credits/credits.prices';
import { createArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import type {
  Organization,
  OrganizationStats,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import type { TaskStats } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { listInvitations } from '@tallyhand/contracts/features/team/team.endpoints';
import { createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { ArrowRight, BookOpen, Bot, Users, Wrench } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { asRead } from '../../app/api.ts';
import { useTitle } from '../../app/use-title.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { Progress } from '../../ui/progress.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useGetTaskStatsQuery } from '../tasks/tasks.api.ts';
import { DashboardStats } from './dashboard-stats.tsx';
import { LowCredits } from './low-credits.tsx';
import { useGetOrganizationQuery, useGetOrganizationStatsQuery } from './organizations.api.ts';
import { RecentActivity } from './recent-activity.tsx';

/** The balance at which no credit counts as used. */
const CREDIT_SCALE = 1_000;

export function DashboardPage() {
  const { t } = useTranslation('organizations');
  const user = useCurrentUser();
  const { data: organization } = useGetOrganizationQuery(undefined, asRead<Organization>());
  useTitle(t('title'));
  const balance = organization?.creditBalance;
  return (
    <Page>
      <PageHeader
        title={t('welcome', { username: user.username })}
        description={organization?.name || user.organization.name || t('organizationFallback')}
        action={
          mayCall(user.role, createAgent) && (
            <ButtonLink variant="primary">
              <Link to="/agents">{t('createAgent')}</Link>
            </ButtonLink>
          )
        }
      />
      {balance !== undefined && balance < LOW_CREDITS && <LowCredits balance={balance} />}
      <DashboardStats />
      <div className="grid items-start gap-6 md:grid-cols-3">
        <div className="min-w-0 md:col-span-2">
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

const percentOf = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * 100);

function Performance({ balance = CREDIT_SCALE }: { balance?: number }) {
  const { t } = useTranslation('organizations');
  const { data: counts } = useGetOrganizationStatsQuery(undefined, asRead<OrganizationStats>());
  const { data: stats } = useGetTaskStatsQuery(undefined, asRead<TaskStats>());
  const used = Math.max(0, 100 - percentOf(balance, CREDIT_SCALE));
  return (
    <CardSection title={t('performance.title')}>
      <div className="flex flex-col gap-4">
        <Progress
          label={t('performance.successRate')}
          percent={percentOf(stats?.success ?? 0, stats?.total ?? 0)}
        />
        <Progress
          label={t('performance.activeAgents')}
          percent={percentOf(counts?.activeAgents ?? 0, counts?.agents ?? 0)}
        />
        <Progress label={t('performance.creditUsage')} percent={used} />
      </div>
    </CardSection>
  );
}
