import { exportTasks, TASK_TYPES } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { CircleCheck, CircleX, Coins, Download, ListChecks, Search } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { DayFilter } from '../../app/day-filter.tsx';
import { Page } from '../../app/page.tsx';
import { useTyped, withMoments } from '../../app/use-address.ts';
import { Button } from '../../ui/button.tsx';
import { Figures } from '../../ui/card.tsx';
import { DropdownMenu, MenuLink } from '../../ui/dropdown-menu.tsx';
import { IconInput, Select } from '../../ui/field.tsx';
import { AgentSelect } from '../agents/agent-select.tsx';
import { TaskDialog } from './task-dialog.tsx';
import {
  FILTER_NAMES,
  STATUS_CHOICES,
  type TaskFilter,
  type TaskFilterState,
  useTaskFilter,
} from './task-filter.ts';
import { TaskList } from './task-list.tsx';
import { useGetTaskStatsQuery } from './tasks.api.ts';

/** `?q=`, `?status=` and others filter, `?sort=` sorts, `?task=ID` opens one. */
export function TasksPage() {
  const { t } = useTranslation('tasks');
  const [search, setSearch] = useSearchParams();
  const state = useTaskFilter();
  const openId = search.get('task');
  const show = (id: string | undefined) => {
    const params = new URLSearchParams(search);
    if (id) params.set('task', id);
    else params.delete('task');
    setSearch(params);
  };
  return (
    <Page
      title={t('title')}
      description={t('description')}
      action={<ExportMenu filter={state.filter} />}
    >
      <TaskFigures />
      <TaskFilters {...state} />
      <TaskList key={JSON.stringify(state.filter)} filter={state.filter} show={show} />
      {openId && <TaskDialog key={openId} id={openId} show={show} close={() => show(undefined)} />}
    </Page>
  );
}

const QUERY_MAX = 200;

/** A search in the whole texts, and what else narrows the list. */
function TaskFilters({ filter, change, clear }: TaskFilterState) {
  const { t } = useTranslation('tasks');
  const [typed, setTyped] = useTyped(filter.q ?? '', (q) => change({ q }, 'typed'));
  const isFiltered = FILTER_NAMES.some((name) => filter[name]);
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-[minmax(0,2fr)_repeat(3,minmax(0,1fr))]">
        <IconInput
          icon={Search}
          type="search"
          className="col-span-2 sm:col-span-3 lg:col-span-1"
          maxLength={QUERY_MAX}
          aria-label={t('search')}
          placeholder={t('search')}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Select
          aria-label={t('filter')}
          value={filter.status ?? ''}
          onChange={({ target }) => change({ status: target.value }, 'chosen')}
          options={[
            { value: '', label: t('filters.all') },
            ...STATUS_CHOICES.map((value) => ({ value, label: t(`statuses.${value}`) })),
          ]}
        />
        <Select
          aria-label={t('columns.type')}
          value={filter.type ?? ''}
          onChange={({ target }) => change({ type: target.value }, 'chosen')}
          options={[
            { value: '', label: t('filters.allTypes') },
            ...TASK_TYPES.map((value) => ({ value, label: t(`types.${value}`) })),
          ]}
        />
        <AgentSelect
          className="max-sm:col-span-2"
          label={t('columns.agent')}
          all={t('filters.allAgents')}
          unknown={t('unknownAgent')}
          agentId={filter.agentId}
          choose={(agentId) => change({ agentId }, 'chosen')}
        />
      </div>
      <div className="flex flex-wrap items-end gap-3">
        <DayFilter name="from" label={t('filters.from')} filter={filter} change={change} />
        <DayFilter name="to" label={t('filters.to')} filter={filter} change={change} />
        {isFiltered && <Button onClick={clear}>{t('filters.clear')}</Button>}
      </div>
    </div>
  );
}

const FORMATS = ['csv', 'json'] as const;

/** The tasks that the filter finds, whole, as a file. */
function ExportMenu({ filter }: { filter: TaskFilter }) {
  const { t } = useTranslation('tasks');
  const addressOf = (format: string) => {
    const query = new URLSearchParams({ ...withMoments(filter), format });
    return `${exportTasks.path}?${query}`;
  };
  return (
    <DropdownMenu trigger={<Button icon={Download}>{t('export.action')}</Button>}>
      {FORMATS.map((format) => (
        <MenuLink key={format} href={addressOf(format)} download>
          {t(`export.${format}`)}
        </MenuLink>
      ))}
    </DropdownMenu>
  );
}

function TaskFigures() {
  const { t } = useTranslation('tasks');
  const { data } = useGetTaskStatsQuery();
  return (
    <Figures
      figures={[
        { label: t('stats.total'), icon: <ListChecks aria-hidden />, value: data?.total },
        { label: t('stats.successful'), icon: <CircleCheck aria-hidden />, value: data?.success },
        { label: t('stats.failed'), icon: <CircleX aria-hidden />, value: data?.failed },
        { label: t('stats.creditsUsed'), icon: <Coins aria-hidden />, value: data?.creditsUsed },
      ]}
    />
  );
}
