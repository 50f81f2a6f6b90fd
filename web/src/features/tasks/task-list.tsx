import type { Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { CircleStop, ListChecks, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NothingFound } from '../../app/list-filters.tsx';
import { LoadFailed, MorePages } from '../../app/loaded.tsx';
import { PartBoundary } from '../../app/page-boundary.tsx';
import { laterPart } from '../../app/part.ts';
import type { OpenRow } from '../../app/use-open-row.ts';
import { useTimeOrder } from '../../app/use-sort.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { LongTable } from '../../ui/long-table.tsx';
import { type Selection, useSelection } from '../../ui/selection.ts';
import type { TableSort } from '../../ui/sort.ts';
import type { Column } from '../../ui/table.tsx';
import { DateText } from '../../ui/time.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { TaskActionDialog, useTaskAction } from './task-actions.tsx';
import type { TaskAction, TaskFilter, TaskFilterState } from './task-filter.ts';
import { AgentLink, TaskStatus } from './task-links.tsx';
import { useFindTasksInfiniteQuery, useGetTaskStatsQuery } from './tasks.api.ts';

const TaskBulkBar = laterPart(
  ['bulk', 'problems', 'tasks'],
  async () => (await import('./task-bulk.tsx')).TaskBulkBar,
);

type Asking = { action: TaskAction; task: Task };

/** The tasks that match a filter, page by page, in the order of the address. */
export function useTaskPages(filter: TaskFilter) {
  const { sort, order } = useTimeOrder('sort', 'created');
  const pages = useFindTasksInfiniteQuery({ filter, order });
  // Not `currentData`: while the other order comes, the head that was clicked stays.
  const tasks = pages.data?.pages.flatMap((page) => page.entries) ?? [];
  return { pages, tasks, sort };
}

type TaskListProps = Pick<TaskFilterState, 'filter' | 'clear'> & { opened: OpenRow };

/** The tasks that match a filter. New for each filter. */
export function TaskList({ filter, clear, opened }: TaskListProps) {
  const { t } = useTranslation('tasks');
  const [asking, setAsking] = useState<Asking>();
  const selection = useSelection();
  const { data: stats } = useGetTaskStatsQuery();
  const { isLoading: isNaming } = useListAgentsQuery();
  const { pages, tasks, sort } = useTaskPages(filter);
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
        <TaskTable
          tasks={tasks}
          sort={sort}
          opened={opened}
          selection={selection}
          ask={setAsking}
        />
      ) : (
        <NoTasks
          none={Object.keys(filter).length === 0}
          mayFollow={pages.hasNextPage}
          clear={clear}
        />
      )}
      <MorePages pages={pages} />
      {selection.chosen.size > 0 && (
        <PartBoundary>
          <TaskBulkBar items={tasks} selection={selection} />
        </PartBoundary>
      )}
      {asking && (
        <TaskActionDialog {...asking} close={() => setAsking(undefined)} showTask={opened.show} />
      )}
    </CardSection>
  );
}

type NoTasksProps = { none: boolean; mayFollow: boolean; clear: () => void };

function NoTasks({ none, mayFollow, clear }: NoTasksProps) {
  const { t } = useTranslation('tasks');
  const noMatch = mayFollow ? t('empty.noMatchYet') : t('empty.noMatch');
  if (!none) return <NothingFound title={t('empty.title')} description={noMatch} clear={clear} />;
  return (
    <EmptyState
      icon={ListChecks}
      title={t('empty.title')}
      description={t('empty.description')}
      action={
        <ButtonLink variant="primary" to="/agents">
          {t('empty.action')}
        </ButtonLink>
      }
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
      leftOutBeside: true,
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
      leftOutBeside: true,
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
  opened,
  selection,
  ask,
}: {
  tasks: readonly Task[];
  sort: TableSort;
  opened: OpenRow;
  selection: Selection;
  ask: (asking: Asking) => void;
}) {
  const { t } = useTranslation('tasks');
  const nameOf = useAgentName();
  const columns = useColumns(nameOf);
  const agentOf = ({ agentId }: Task) => nameOf(agentId) ?? t('unknownAgent');
  return (
    <LongTable
      label={t('recent')}
      name="tasks"
      columns={columns}
      sort={sort}
      rows={tasks}
      rowKey={({ id }) => id}
      actionsLabel={t('columns.actions')}
      actions={(task) => <RowAction task={task} agent={agentOf(task)} ask={ask} />}
      selecting={{
        ...selection,
        label: (task) => t('bulk.select', { agent: agentOf(task) }),
      }}
      opening={{
        label: (task) => t('view', { agent: agentOf(task) }),
        show: ({ id }) => opened.show(id),
        current: opened.key,
      }}
    />
  );
}

function RowAction({
  task,
  agent,
  ask,
}: {
  task: Task;
  agent: string;
  ask: (asking: Asking) => void;
}) {
  const { t } = useTranslation('tasks');
  const action = useTaskAction(task);
  if (!action) return null;
  return (
    <IconButton
      icon={action === 'cancel' ? CircleStop : RotateCw}
      label={t(`${action}.of`, { agent })}
      onClick={() => ask({ action, task })}
    />
  );
}
