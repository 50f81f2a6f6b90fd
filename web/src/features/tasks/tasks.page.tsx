import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { useTitle } from '../../app/use-title.ts';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { ExportMenu } from './export-menu.tsx';
import { TaskDialog } from './task-dialog.tsx';
import { TaskFilters } from './task-filters.tsx';
import { TaskList } from './task-list.tsx';
import { TaskStatCards } from './task-stat-cards.tsx';
import { useTaskFilter } from './use-task-filter.ts';

/** `?q=`, `?status=` and others filter, `?sort=` sorts, `?task=ID` opens one. */
export function TasksPage() {
  const { t } = useTranslation('tasks');
  const [search, setSearch] = useSearchParams();
  const state = useTaskFilter();
  useTitle(t('title'));
  const openId = search.get('task');
  const show = (id: string | undefined) => {
    const params = new URLSearchParams(search);
    if (id) params.set('task', id);
    else params.delete('task');
    setSearch(params);
  };
  return (
    <Page>
      <PageHeader
        title={t('title')}
        description={t('description')}
        action={<ExportMenu filter={state.filter} />}
      />
      <TaskStatCards />
      <TaskFilters {...state} />
      <TaskList key={JSON.stringify(state.filter)} filter={state.filter} show={show} />
      {openId && <TaskDialog key={openId} id={openId} show={show} close={() => show(undefined)} />}
    </Page>
  );
}
