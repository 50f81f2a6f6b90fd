import {
  type Agent,
  type AgentSummary,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { listApiKeys } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import type { ModelCost } from '@tallyhand/contracts/features/models/model-usage';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { keyReadsOnly, mayCall } from '@tallyhand/contracts/kernel/access';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { MessageSquare, Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { Loaded, LoadFailed, NotLoaded } from '../../app/loaded.tsx';
import { Page } from '../../app/page.tsx';
import { MoreMenu } from '../../app/resource-list.tsx';
import { useSearchParam } from '../../app/use-address.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CardSection, StatCard } from '../../ui/card.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Link } from '../../ui/link.tsx';
import { Loading, Skeleton, Skeletons } from '../../ui/loading.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useListApiKeysQuery } from '../api-keys/api-keys.api.ts';
import { ObjectHistory } from '../audit/object-history.tsx';
import { DeleteVersioned, HistoryDialog } from '../audit/versioned-dialogs.tsx';
import { useGetAgentQuery } from '../chat/chat.api.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useListMailboxesQuery } from '../mailboxes/mailboxes.api.ts';
import { MailboxTrouble } from '../mailboxes/mails-dialog.tsx';
import { hasNoPrice, useCostText } from '../models/usage-lines.tsx';
import { useWorkPrice } from '../models/work-price.ts';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import { AgentRatingsCard } from '../ratings/agent-ratings.tsx';
import { TaskLinks } from '../tasks/task-links.tsx';
import { useListTasksQuery } from '../tasks/tasks.api.ts';
import { AgentDialog } from './agent-dialog.tsx';
import { AgentMenu, agentDialogs } from './agent-menu.tsx';
import { useListAgentSummariesQuery } from './agents.api.ts';
import { isMissing, MissingAgent } from './missing-agent.tsx';
import { useModelName } from './model-options.ts';

const LAST_TASKS = 10;

/** `/agents/{id}`: who the agent is, what it may use, has done and has spent. */
export function AgentPage() {
  const { t } = useTranslation('agents');
  const { id = '' } = useParams();
  const { data, error, refetch } = useGetAgentQuery(id);
  const isGone = isMissing(error);
  if (data) return <AgentParts agent={data} isGone={isGone} />;
  if (isGone) return <MissingAgent title={t('page.title')} />;
  if (error) return <LoadFailed error={error} onRetry={refetch} />;
  return (
    <Page title={t('page.title')}>
      <Loading label={t('page.loading')} className="flex flex-col gap-6">
        <Skeletons count={3} className="h-40 rounded-lg" />
      </Loading>
    </Page>
  );
}

/** `isGone`: the agent was deleted; an editor stays open, with what was typed. */
function AgentParts({ agent, isGone }: { agent: Agent; isGone: boolean }) {
  const { t } = useTranslation('agents');
  const { role } = useCurrentUser();
  const mayChange = mayCall(role, createAgent);
  const { data: organization } = useGetOrganizationQuery();
  const [dialog, open] = useState<keyof typeof agentDialogs | 'edit' | 'delete'>();
  const [historyId, showHistory] = useSearchParam('history');
  const summaries = useListAgentSummariesQuery({ ids: agent.id });
  const { id, name, isActive } = agent;
  const price = useWorkPrice('task', agent.model) ?? 1;
  const balance = organization?.creditBalance ?? 0;
  const close = () => open(undefined);
  if (isGone && dialog !== 'edit') return <MissingAgent title={t('page.title')} />;
  return (
    <Page
      title={name}
      description={agent.personaConfig.role}
      action={
        <>
          {isActive && (
            <ButtonLink icon={MessageSquare} to={`/agent/${id}`}>
              {t('page.chat')}
            </ButtonLink>
          )}
          <MoreMenu name={name}>
            <AgentMenu
              agent={agent}
              balance={balance}
              mayChange={mayChange}
              open={open}
              showHistory={showHistory}
            />
          </MoreMenu>
        </>
      }
      primary={
        isActive && balance >= price ? (
          <ButtonLink icon={Play} variant="primary" to={`/agents/${id}/execute`}>
            {t('executeShort')}
          </ButtonLink>
        ) : (
          <Button icon={Play} variant="primary" disabled>
            {t('executeShort')}
          </Button>
        )
      }
    >
      {!isActive && <Banner tone="warning">{t('execute.paused', { name })}</Banner>}
      <Figures summary={summaries.data?.[0]} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-6">
          <RecentTasks agentId={id} />
          <AgentRatingsCard agentId={id} />
          <CardSection title={t('history.title')}>
            <ObjectHistory
              kind="agents"
              id={id}
              canRestore={mayChange}
              currentVersion={agent.version}
            />
          </CardSection>
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <Persona agent={agent} />
          <Loaded
            query={summaries}
            loading={{ label: t('page.loading'), count: 1, skeleton: 'h-40 rounded-lg' }}
          >
            {([summary]) =>
              summary && (
                <Resources
                  summary={summary}
                  assign={mayChange ? () => open('assign') : undefined}
                />
              )
            }
          </Loaded>
          <Mailboxes agentId={id} connect={mayChange ? () => open('mailbox') : undefined} />
          {mayCall(role, listApiKeys) && <Keys />}
        </div>
      </div>
      {dialog === 'edit' && <AgentDialog agent={agent} close={close} />}
      {dialog === 'delete' && <DeleteVersioned kind="agents" id={id} name={name} close={close} />}
      {dialog && dialog !== 'edit' && dialog !== 'delete' && agentDialogs[dialog](agent, close)}
      {historyId && (
        <HistoryDialog
          title={t('history.title')}
          description={name}
          kind="agents"
          id={id}
          canRestore={mayChange}
          currentVersion={agent.version}
          close={() => showHistory('')}
        />
      )}
    </Page>
  );
}

function Figures({ summary }: { summary: AgentSummary | undefined }) {
  const { t, i18n } = useTranslation('agents');
  const format = numberFormat(i18n.language).format;
  const costOf = useCostText();
  const moneyOf = (cost: ModelCost) => (cost.calls === 0 || hasNoPrice(cost) ? '–' : costOf(cost));
  const isUnused = summary?.modelCost.total.calls === 0;
  const spent = (total = '–') => t('page.spentDetail', { total });
  const placeholder = <Skeleton className="my-1.5 w-12" />;
  const { success = 0, failed = 0 } = summary?.tasks ?? {};
  const ended = success + failed;
  // 999 of 1,000 is not 100 %.
  const share = Math.floor((success / ended) * 100) / 100;
  const rate = ended > 0 ? numberFormat(i18n.language, { style: 'percent' }).format(share) : '–';
  return (
    <div className="grid grid-cols-2 gap-4 md:grid-cols-4">
      <StatCard
        label={t('page.successRate')}
        value={summary ? rate : placeholder}
        detail={t('page.ofTasks', { count: ended })}
      />
      <StatCard
        label={t('summary.lastRun')}
        value={
          summary?.lastRunAt ? <RelativeTime at={summary.lastRunAt} /> : summary ? '–' : placeholder
        }
        detail={t('page.running', { count: summary?.tasks.open ?? 0 })}
      />
      <StatCard
        label={t('page.credits')}
        value={summary ? format(summary.credits.last30Days) : placeholder}
        detail={spent(summary && format(summary.credits.total))}
      />
      <StatCard
        label={t('page.modelCost')}
        value={summary ? moneyOf(summary.modelCost.last30Days) : placeholder}
        detail={spent(summary && (isUnused ? '–' : costOf(summary.modelCost.total)))}
      />
    </div>
  );
}

const linkClass = 'rounded-sm text-accent underline-offset-4 hover:underline';

function RecentTasks({ agentId }: { agentId: string }) {
  const { t } = useTranslation('agents');
  const query = useListTasksQuery({ limit: LAST_TASKS, agentId });
  return (
    <CardSection
      title={t('execute.last')}
      actions={
        <Link to={`/tasks?agentId=${agentId}`} className={linkClass}>
          {t('execute.allTasks')}
        </Link>
      }
    >
      {!query.data && (
        <NotLoaded query={query} label={t('page.loading')} count={4} skeleton="my-3 h-6" />
      )}
      {query.data?.length === 0 && <p className="text-muted">{t('execute.noTasks')}</p>}
      {query.data && query.data.length > 0 && (
        <TaskLinks tasks={query.data} nameOf={({ input }) => input} />
      )}
    </CardSection>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  );
}

function Persona({ agent: { description, personaConfig, isActive, model } }: { agent: Agent }) {
  const { t } = useTranslation('agents');
  const nameOf = useModelName({ skip: !model?.connectionId });
  const { personality, expertise, communicationStyle, responseFormat } = personaConfig;
  return (
    <CardSection
      title={t('page.persona')}
      actions={
        <StatusBadge
          status={isActive ? 'success' : 'paused'}
          label={isActive ? t('active') : t('paused')}
        />
      }
    >
      <dl className="flex flex-col gap-3">
        <Fact name={t('form.description')}>{description}</Fact>
        <Fact name={t('form.model.label')}>{nameOf(model)}</Fact>
        {model?.fallback && <Fact name={t('form.model.fallback')}>{nameOf(model.fallback)}</Fact>}
        <Fact name={t('form.personality')}>{personality}</Fact>
        <Fact name={t('form.expertise')}>
          <span className="flex flex-wrap gap-1">
            {expertise.map((area) => (
              <Badge key={area}>
                <span className="truncate">{area}</span>
              </Badge>
            ))}
          </span>
        </Fact>
        <Fact name={t('form.communicationStyle')}>{t(`form.styles.${communicationStyle}`)}</Fact>
        <Fact name={t('form.responseFormat')}>{t(`form.formats.${responseFormat}`)}</Fact>
      </dl>
    </CardSection>
  );
}

const PLACES = {
  articles: (id: string) => `/knowledge?article=${id}`,
  playbooks: (id: string) => `/knowledge?tab=playbooks&playbook=${id}`,
  tools: () => '/tools',
} as const;
const KINDS = ['articles', 'playbooks', 'tools'] as const;

function Resources({
  summary,
  assign,
}: {
  summary: AgentSummary;
  assign: (() => void) | undefined;
}) {
  const { t } = useTranslation('agents');
  const shown = KINDS.filter((kind) => summary[kind].length > 0);
  return (
    <CardSection
      title={t('page.resources')}
      actions={
        assign && (
          <Button size="sm" onClick={assign}>
            {t('page.assign')}
          </Button>
        )
      }
    >
      {shown.length === 0 && <p className="text-muted">{t('summary.noResources')}</p>}
      {shown.map((kind) => (
        <div key={kind} className="mt-3 first:mt-0">
          <h3 className="text-xs text-muted">{t(`assign.${kind}`)}</h3>
          <ul>
            {summary[kind].map(({ id, name }) => (
              <li key={id} className="truncate">
                <Link to={PLACES[kind](id)} title={name} className={linkClass}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </CardSection>
  );
}

function Mailboxes({ agentId, connect }: { agentId: string; connect: (() => void) | undefined }) {
  const { t } = useTranslation('agents');
  const { t: words } = useTranslation('mailboxes');
  const { data = [] } = useListMailboxesQuery(agentId);
  return (
    <CardSection
      title={t('page.mailboxes')}
      actions={
        connect && (
          <Button size="sm" onClick={connect}>
            {t('page.connect')}
          </Button>
        )
      }
    >
      {data.length === 0 && <p className="text-muted">{t('page.noMailboxes')}</p>}
      <ul className="flex flex-col gap-1">
        {data.map(({ id, emailAddress, status }) => (
          <li key={id} className="break-words">
            {emailAddress} <span className="text-muted">· {words(`status.${status}`)}</span>
          </li>
        ))}
      </ul>
      <MailboxTrouble agentId={agentId} />
    </CardSection>
  );
}

/** The keys by which programs may run the agent. */
function Keys() {
  const { t } = useTranslation('agents');
  const { data = [] } = useListApiKeysQuery();
  const mayExecute = (role: Role) => mayCall(role, executeTask) && !keyReadsOnly(role, executeTask);
  const keys = data.filter(({ status, role }) => status === 'active' && mayExecute(role));
  return (
    <CardSection
      title={t('page.keys')}
      actions={
        <Link to="/developers" className={linkClass}>
          {t('page.manageKeys')}
        </Link>
      }
    >
      {keys.length === 0 && <p className="text-muted">{t('page.noKeys')}</p>}
      <ul>
        {keys.map(({ id, name }) => (
          <li key={id} className="truncate" title={name}>
            {name}
          </li>
        ))}
      </ul>
    </CardSection>
  );
}
