import type { Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { CircleStop, Eye, ListChecks, RotateCw, Search } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed, MorePages } from '../../app/loaded.tsx';
import { useTimeOrder } from '../../app/use-sort.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { LongTable } from '../../ui/long-table.tsx';
import type { TableSort } from '../../ui/sort.ts';
import { EmptyState } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { DateText } from '../../ui/time.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { TaskActionDialog, useTaskAction } from './task-actions.tsx';
import type { TaskAction, TaskFilter } from './task-filter.ts';
import { AgentLink, TaskStatus } from './task-links.tsx';
import { useFindTasksInfiniteQuery, useGetTaskStatsQuery } from './tasks.api.ts';

type Show = (id: string) => void;
type Asking = { action: TaskAction; id: string };

/** The tasks that match a filter, page by page. New for each filter. */
export function TaskList({ filter, show }: { filter: TaskFilter; show: Show }) {
  const { t } = useTranslation('tasks');
  const [asking, setAsking] = useState<Asking>();
  const { data: stats } = useGetTaskStatsQuery();
  const { isLoading: isNaming } = useListAgentsQuery();
  const { sort, order } = useTimeOrder('sort', 'created');
  const pages = useFindTasksInfiniteQuery({ filter, order });
  // Not `currentData`: while the other order comes, the head that was clicked stays.
  const { data, error, refetch } = pages;
  if (!data && error) return <LoadFailed error={error} onRetry={refetch} />;
  // Until the names are loaded it is unknown which agent is gone.
  if (!data || isNaming) {
    return (
      <Loading label={t('loading')} className="flex flex-col gap-3">
        <Skeletons count={8} className="h-8" />
      </Loading>
    );
  }
  const tasks = data.pages.flatMap((page) => page.entries);
  const total = stats?.total ?? tasks.length;
  return (
    <CardSection
      title={t('recent')}
      actions={
        <span className="tabular text-muted" aria-live="polite">
          {t('count', { shown: tasks.length, count: Math.max(total, tasks.length) })}
        </span>
      }
    >
      {tasks.length > 0 ? (
        <TaskTable tasks={tasks} sort={sort} show={show} ask={setAsking} />
      ) : (
        <NoTasks none={Object.keys(filter).length === 0} mayFollow={pages.hasNextPage} />
      )}
      <MorePages pages={pages} />
      {asking && (
        <TaskActionDialog {...asking} close={() => setAsking(undefined)} showTask={show} />
      )}
    </CardSection>
  );
}

function NoTasks({ none, mayFollow }: { none: boolean; mayFollow: boolean }) {
  const { t } = useTranslation('tasks');
  const noMatch = mayFollow ? t('empty.noMatchYet') : t('empty.noMatch');
  return (
    <EmptyState
      icon={none ? ListChecks : Search}
      title={t('empty.title')}
      description={none ? t('empty.description') : noMatch}
      action={none && <ButtonLink to="/agents">{t('empty.action')}</ButtonLink>}
    />
  );
}

function useAgentName(): (id: string) => string | undefined {
  const { data: agents = [] } = useListAgentsQuery();
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  return (id) => names.get(id);
}

function useColumns(nameOf: (id: string) => string | undefined): Column<Task>[] {
  const { t, i18n } = useTranslation('tasks');
  return [
    {
      key: 'agent',
      header: t('columns.agent'),
      className: 'max-w-48 truncate font-medium',
      cell: ({ agentId }) => <AgentLink id={agentId} name={nameOf(agentId)} />,
    },
    {
      key: 'type',
      header: t('columns.type'),
      cell: ({ type }) => t(`types.${type}`),
      wideOnly: true,
    },
    {
      key: 'status',
      header: t('columns.status'),
      cell: ({ status }) => <TaskStatus status={status} />,
    },
    {
      key: 'input',
      header: t('columns.input'),
      className: 'w-full max-w-0 truncate',
      cell: ({ input }) => <span className="block truncate">{input || t('noInput')}</span>,
    },
    {
      key: 'credits',
      header: t('columns.credits'),
      numeric: true,
      cell: ({ creditCost }) => numberFormat(i18n.language).format(creditCost),
    },
    {
      key: 'created',
      header: t('columns.created'),
      sortBy: { time: ({ createdAt }) => createdAt },
      cell: ({ createdAt }) => <DateText at={createdAt} />,
    },
  ];
}

function TaskTable({
  tasks,
  sort,
  show,
  ask,
}: {
  tasks: readonly Task[];
  sort: TableSort;
  show: Show;
  ask: (asking: Asking) => void;
}) {
  const { t } = useTranslation('tasks');
  const nameOf = useAgentName();
  const columns = useColumns(nameOf);
  return (
    <LongTable
      label={t('recent')}
      columns={columns}
      sort={sort}
      rows={tasks}
      rowKey={({ id }) => id}
      actionsLabel={t('columns.actions')}
      actions={(task) => (
        <RowActions
          task={task}
          agent={nameOf(task.agentId) ?? t('unknownAgent')}
          show={show}
          ask={ask}
        />
      )}
    />
  );
}

function RowActions({
  task,
  agent,
  show,
  ask,
}: {
  task: Task;
  agent: string;
  show: Show;
  ask: (asking: Asking) => void;
}) {
  const { t } = useTranslation('tasks');
  const action = useTaskAction(task);
  return (
    <span className="inline-flex">
      {action && (
        <IconButton
          icon={action === 'cancel' ? CircleStop : RotateCw}
          label={t(`${action}.of`, { agent })}
          onClick={() => ask({ action, id: task.id })}
        />
      )}
      <IconButton icon={Eye} label={t('view', { agent })} onClick={() => show(task.id)} />
    </span>
  );
}
