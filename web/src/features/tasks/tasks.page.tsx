import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { useTitle } from '../../app/use-title.ts';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { TaskDialog } from './task-dialog.tsx';
import { TaskList } from './task-list.tsx';
import { TaskStatCards } from './task-stat-cards.tsx';

/** `?q=` and `?status=` filter, `?task=ID` opens one. */
export function TasksPage() {
  const { t } = useTranslation('tasks');
  const [search, setSearch] = useSearchParams();
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
      <PageHeader title={t('title')} description={t('description')} />
      <TaskStatCards />
      <TaskList show={show} />
      {openId && <TaskDialog id={openId} close={() => show(undefined)} />}
    </Page>
  );
}
