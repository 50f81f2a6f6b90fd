import {
  type Agent,
  AgentFilter,
  createAgent,
  SUMMARIES_MAX,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { LOW_CREDITS_AGENTS, PRICE_OF } from '@tallyhand/contracts/features/credits/credits.prices';
import { Bot, LayoutTemplate, Play, Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addressFilter, DayFields, SearchField } from '../../app/address-filter.ts';
import type { BulkState } from '../../app/bulk-bar.tsx';
import {
  ListFilters,
  NothingFound,
  type ObjectFilterState,
  useObjectFilters,
} from '../../app/list-filters.tsx';
import { laterPart } from '../../app/part.ts';
import { ResourceCard, ResourceGrid } from '../../app/resource-list.tsx';
import { ResourcePage } from '../../app/resource-page.tsx';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import type { FilterField } from '../../ui/filters.ts';
import { listFormat } from '../../ui/formats.ts';
import { Skeleton } from '../../ui/loading.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useListArticlesQuery } from '../knowledge/knowledge.api.ts';
import { MailboxTrouble } from '../mailboxes/mails-dialog.tsx';
import { useCostText } from '../models/usage-lines.tsx';
import { LowCredits } from '../organizations/low-credits.tsx';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { useListToolsQuery } from '../tools/tools.api.ts';
import { AgentDialog } from './agent-dialog.tsx';
import { type AgentActions, AgentMenu, agentDialogs } from './agent-menu.tsx';
import { useListAgentSummariesQuery, useListAgentsQuery } from './agents.api.ts';
import { BLANK, GALLERY, GALLERY_PATH } from './gallery-path.ts';
import { useModelName } from './model-options.ts';

/** The filter in the address. */
const agentFilter = addressFilter({ ...SearchField, ...AgentFilter, ...DayFields });

const Templates = laterPart(
  ['agents', 'audit', 'problems', 'sample', 'templates', 'validation'],
  async () => (await import('./templates.tsx')).Templates,
);

const AgentBulkBar = laterPart(
  ['bulk', 'problems'],
  async () => (await import('./agent-bulk.tsx')).AgentBulkBar,
);
const agentBulkBar = (state: BulkState<Agent>) => <AgentBulkBar {...state} />;

export function AgentsPage() {
  const { t } = useTranslation(['agents', 'lists']);
  const filters = useObjectFilters(agentFilter);
  const query = useListAgentsQuery();
  const found = useListAgentsQuery(filters.asked);
  const { data: organization } = useGetOrganizationQuery();
  const balance = organization?.creditBalance;
  return (
    <ResourcePage
      kind="agents"
      query={query}
      create={createAgent}
      title={t('title')}
      description={t('description')}
      createLabel={t('create')}
      intro={
        <>
          {balance !== undefined && balance < LOW_CREDITS_AGENTS && (
            <LowCredits balance={balance} />
          )}
          {query.data?.length !== 0 && <AgentFilters {...filters} />}
        </>
      }
      list={(actions) => (
        <ResourceGrid
          query={query}
          found={{ query: found, none: <NothingFound clear={filters.state.clear} /> }}
          label={t('list')}
          loading={t('loading')}
          skeleton="h-44 rounded-lg"
          selecting={{ label: ({ name }) => t('lists:select', { name }), bar: agentBulkBar }}
          empty={{
            icon: Bot,
            title: t('empty.title'),
            description: actions.mayChange ? t('empty.description') : t('empty.forOthers'),
            action: actions.mayChange && (
              <div className="flex flex-wrap justify-center gap-2">
                <ButtonLink variant="primary" icon={LayoutTemplate} to={GALLERY_PATH}>
                  {t('fromTemplate')}
                </ButtonLink>
                <Button icon={Plus} onClick={actions.create}>
                  {t('create')}
                </Button>
              </div>
            ),
          }}
        >
          {(agent) => (
            <AgentCard
              agent={agent}
              batch={batchOf(found.data ?? [], agent)}
              balance={balance ?? 0}
              {...actions}
            />
          )}
        </ResourceGrid>
      )}
      form={(agent, close) => <AgentDialog agent={agent} close={close} />}
      formOfNew={(close, shown, show) =>
        shown === BLANK ? (
          <AgentDialog close={close} fromTemplate={() => show(GALLERY)} />
        ) : (
          <Templates shown={shown} show={show} close={close} />
        )
      }
      dialogs={agentDialogs}
      history={(agent) => ({ title: t('history.title'), description: agent?.name })}
    />
  );
}

type AgentFiltersProps = ObjectFilterState<(typeof agentFilter.names)[number]>;

/** A search, what agents are and may use, and their order. */
function AgentFilters({ state, sort, columns }: AgentFiltersProps) {
  const { t } = useTranslation(['agents', 'lists']);
  const { articleId, playbookId, toolId } = state.filter;
  const [isOpen, setOpen] = useState(false);
  const skip = !(isOpen || articleId || playbookId || toolId);
  const { data: articles = [] } = useListArticlesQuery(undefined, { skip });
  const { data: playbooks = [] } = useListPlaybooksQuery(undefined, { skip });
  const { data: tools = [] } = useListToolsQuery(undefined, { skip });
  const unknown = () => t('lists:filters.deleted');
  const fields: readonly FilterField[] = [
    {
      name: 'isActive',
      label: t('filters.status'),
      options: [
        { value: 'true', label: t('active') },
        { value: 'false', label: t('paused') },
      ],
    },
    {
      name: 'articleId',
      label: t('filters.article'),
      options: articles.map(({ id, title }) => ({ value: id, label: title })),
      unknown,
    },
    {
      name: 'playbookId',
      label: t('filters.playbook'),
      options: playbooks.map(({ id, title }) => ({ value: id, label: title })),
      unknown,
    },
    {
      name: 'toolId',
      label: t('filters.tool'),
      options: tools.map(({ id, name }) => ({ value: id, label: name })),
      unknown,
    },
  ];
  return (
    <ListFilters
      list="agents"
      state={state}
      sort={sort}
      columns={columns}
      search={t('search')}
      fields={fields}
      dates={t('filters.created')}
      onOpen={() => setOpen(true)}
    />
  );
}

const TAGS_SHOWN = 3;

type AgentCardProps = AgentActions & {
  agent: Agent;
  /** The agents whose summaries are loaded in one call. */
  batch: string;
  balance: number;
};

function AgentCard(props: AgentCardProps) {
  const { agent, batch, balance, open } = props;
  const { t } = useTranslation('agents');
  const { role, expertise } = agent.personaConfig;
  const more = expertise.length - TAGS_SHOWN;
  return (
    <ResourceCard
      name={agent.name}
      to={`/agents/${agent.id}`}
      subtitle={<p className="truncate text-xs text-muted">{role}</p>}
      menu={<AgentMenu {...props} />}
    >
      <p className="line-clamp-2 flex-1 break-words text-muted" title={agent.description}>
        {agent.description}
      </p>
      <div className="flex flex-wrap gap-1">
        {expertise.slice(0, TAGS_SHOWN).map((area) => (
          <Badge key={area}>
            <span className="truncate">{area}</span>
          </Badge>
        ))}
        {more > 0 && <Badge>{t('more', { count: more })}</Badge>}
      </div>
      <CardFigures agent={agent} batch={batch} />
      <MailboxTrouble agentId={agent.id} />
      <div className="flex items-center justify-between gap-2 border-t border-line pt-3">
        <StatusBadge
          status={agent.isActive ? 'success' : 'paused'}
          label={agent.isActive ? t('active') : t('paused')}
        />
        <Button
          icon={Play}
          size="sm"
          disabled={!agent.isActive || balance < PRICE_OF.task}
          onClick={() => open('execute', agent)}
        >
          {t('executeShort')}
        </Button>
      </div>
    </ResourceCard>
  );
}

/** The ids of the agents around one in the list, as many as one call takes. */
function batchOf(agents: readonly Agent[], agent: Agent): string {
  const first = agents.indexOf(agent) - (agents.indexOf(agent) % SUMMARIES_MAX);
  const ids = agents.slice(first, first + SUMMARIES_MAX).map(({ id }) => id);
  return ids.join();
}

/** The agent's model, what it may use, when it last ran and what that cost. */
function CardFigures({ agent, batch: ids }: { agent: Agent; batch: string }) {
  const { t, i18n } = useTranslation('agents');
  const { id: agentId, model } = agent;
  const costOf = useCostText();
  const nameOf = useModelName({ skip: !model?.connectionId });
  const { summary } = useListAgentSummariesQuery(
    { ids },
    {
      selectFromResult: ({ data }) => ({
        summary: data?.find((one) => one.agentId === agentId),
      }),
    },
  );
  if (!summary) return <Skeleton className="h-12" />;
  const { articles, playbooks, tools, lastRunAt, credits, modelCost } = summary;
  const modelName = `${t('form.model.label')}: ${nameOf(model)}`;
  const counts = [
    articles.length > 0 && t('summary.articles', { count: articles.length }),
    playbooks.length > 0 && t('summary.playbooks', { count: playbooks.length }),
    tools.length > 0 && t('summary.tools', { count: tools.length }),
  ].filter((text) => text !== false);
  const resources = listFormat(i18n.language, { type: 'unit' }).format(counts);
  return (
    <div className="text-xs text-muted">
      <p className="truncate" title={modelName}>
        {modelName}
      </p>
      <p>{resources || t('summary.noResources')}</p>
      <p>
        {lastRunAt ? (
          <>
            {t('summary.lastRun')}: <RelativeTime at={lastRunAt} /> ·{' '}
            {t('summary.spent', { count: credits.last30Days })}
            {modelCost.last30Days.calls > 0 && ` · ${costOf(modelCost.last30Days)}`}
          </>
        ) : (
          t('summary.neverRun')
        )}
      </p>
    </div>
  );
}
