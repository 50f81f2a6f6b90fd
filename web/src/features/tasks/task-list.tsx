import type { Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { Eye, ListChecks, Search } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { LoadFailed } from '../../app/load-failed.tsx';
import { useSearchParam } from '../../app/use-search-param.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { IconInput } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { DateText } from '../../ui/time.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { matchingTasks, TASK_FILTERS, type TaskFilter } from './matching-tasks.ts';
import { TaskStatus } from './task-status.tsx';
import { useListTasksQuery } from './tasks.api.ts';

const ROWS_AT_ONCE = 100;

type Show = (id: string) => void;

const isFilter = (value: string): value is TaskFilter => TASK_FILTERS.includes(value as TaskFilter);

export function TaskList({ show }: { show: Show }) {
  const { t } = useTranslation('tasks');
  const { data: tasks, error, refetch } = useListTasksQuery({});
  const [query, setQuery] = useSearchParam('q');
  const [status, setStatus] = useSearchParam('status');
  const filter = isFilter(status) ? status : 'all';
  if (!tasks && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!tasks) {
    return (
      <Loading label={t('loading')} className="flex flex-col gap-3">
        <Skeletons count={8} className="h-8" />
      </Loading>
    );
  }
  const found = matchingTasks(tasks, query, filter);
  return (
    <>
      <div className="flex flex-col gap-3 sm:flex-row">
        <IconInput
          icon={Search}
          type="search"
          className="w-full sm:w-80"
          aria-label={t('search')}
          placeholder={t('search')}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <Select
          aria-label={t('filter')}
          className="w-full sm:w-44"
          value={filter}
          onChange={({ target }) => setStatus(target.value === 'all' ? '' : target.value)}
          options={TASK_FILTERS.map((value) => ({ value, label: t(`filters.${value}`) }))}
        />
      </div>
      <CardSection
        title={t('recent')}
        actions={
          <span className="tabular text-muted">
            {t('count', { shown: found.length, count: tasks.length })}
          </span>
        }
      >
        {found.length > 0 ? (
          <TaskTable tasks={found} show={show} />
        ) : (
          <NoTasks none={tasks.length === 0} />
        )}
      </CardSection>
    </>
  );
}

function NoTasks({ none }: { none: boolean }) {
  const { t } = useTranslation('tasks');
  return (
    <EmptyState
      icon={none ? ListChecks : Search}
      title={t('empty.title')}
      description={none ? t('empty.description') : t('empty.noMatch')}
      action={
        none && (
          <ButtonLink>
            <Link to="/agents">{t('empty.action')}</Link>
          </ButtonLink>
        )
      }
    />
  );
}

function useColumns(): Column<Task>[] {
  const { t, i18n } = useTranslation('tasks');
  const { data: agents = [] } = useListAgentsQuery();
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  return [
    {
      key: 'agent',
      header: t('columns.agent'),
      className: 'max-w-48 truncate font-medium',
      cell: ({ agentId }) => names.get(agentId) ?? t('unknownAgent'),
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
      cell: ({ creditCost }) => creditCost.toLocaleString(i18n.language),
    },
    {
      key: 'created',
      header: t('columns.created'),
      cell: ({ createdAt }) => <DateText at={createdAt} />,
    },
  ];
}

function TaskTable({ tasks, show }: { tasks: readonly Task[]; show: Show }) {
  const { t } = useTranslation('tasks');
  const { t: common } = useTranslation('common');
  const { data: agents = [] } = useListAgentsQuery();
  const columns = useColumns();
  const [rows, setRows] = useState(ROWS_AT_ONCE);
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name;
  return (
    <>
      <Table
        label={t('recent')}
        columns={columns}
        rows={tasks.slice(0, rows)}
        rowKey={({ id }) => id}
        actionsLabel={t('columns.actions')}
        actions={(task) => (
          <IconButton
            icon={Eye}
            label={t('view', { agent: nameOf(task.agentId) ?? t('unknownAgent') })}
            onClick={() => show(task.id)}
          />
        )}
      />
      {tasks.length > rows && (
        <div className="mt-3 flex justify-center">
          <Button onClick={() => setRows(rows + ROWS_AT_ONCE)}>{common('actions.showMore')}</Button>
        </div>
      )}
    </>
  );
}
