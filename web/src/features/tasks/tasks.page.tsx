import { RATINGS } from '@tallyhand/contracts/features/ratings/ratings.fields';
import { exportTasks, TASK_TYPES } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { CircleCheck, CircleX, Coins, Download, ListChecks } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ListFilters } from '../../app/list-filters.tsx';
import { Page } from '../../app/page.tsx';
import { type OpenRow, useOpenRow, useRowSteps } from '../../app/use-open-row.ts';
import { Button } from '../../ui/button.tsx';
import { Figures } from '../../ui/card.tsx';
import { DropdownMenu, MenuLink } from '../../ui/dropdown-menu.tsx';
import { withMoments } from '../../ui/periods.ts';
import { useAgentField } from '../agents/agent-field.ts';
import {
  STATUS_CHOICES,
  type TaskFilter,
  type TaskFilterState,
  useTaskFilter,
} from './task-filter.ts';
import { TaskList, useTaskPages } from './task-list.tsx';
import { TaskPanel } from './task-panel.tsx';
import { useGetTaskStatsQuery } from './tasks.api.ts';

/** `?q=`, `?status=` and others filter, `?sort=` sorts, `?task=ID` opens one. */
export function TasksPage() {
  const { t } = useTranslation('tasks');
  const state = useTaskFilter();
  const opened = useOpenRow('task');
  return (
    <Page
      title={t('title')}
      description={t('description')}
      action={<ExportMenu filter={state.filter} />}
    >
      <TaskFigures />
      <TaskFilters {...state} />
      <TaskList key={JSON.stringify(state.filter)} {...state} opened={opened} />
      {opened.key && <OpenTask id={opened.key} opened={opened} filter={state.filter} />}
    </Page>
  );
}

/** The open task, and the ways to its neighbors in the list. */
function OpenTask({ id, opened, filter }: { id: string; opened: OpenRow; filter: TaskFilter }) {
  const { tasks, pages } = useTaskPages(filter);
  const steps = useRowSteps(
    opened,
    tasks.map((task) => task.id),
    pages,
  );
  return <TaskPanel id={id} show={opened.show} close={opened.close} steps={steps} />;
}

/** A search in the whole texts, and what else narrows the list. */
function TaskFilters(state: TaskFilterState) {
  const { t } = useTranslation('tasks');
  const { t: ofRatings } = useTranslation('ratings');
  const agents = useAgentField(t('columns.agent'));
  return (
    <ListFilters
      list="tasks"
      state={state}
      search={t('search')}
      fields={[
        {
          name: 'status',
          label: t('columns.status'),
          options: STATUS_CHOICES.map((value) => ({ value, label: t(`statuses.${value}`) })),
        },
        {
          name: 'type',
          label: t('columns.type'),
          options: TASK_TYPES.map((value) => ({ value, label: t(`types.${value}`) })),
        },
        agents,
        {
          name: 'rating',
          label: ofRatings('filter'),
          options: RATINGS.map((value) => ({ value, label: ofRatings(value) })),
        },
      ]}
      dates={t('columns.created')}
    />
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
