import { exportTasks, type Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { CircleStop, Download, RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { BulkBar, type BulkState } from '../../app/bulk-bar.tsx';
import { Button } from '../../ui/button.tsx';
import { DropdownMenu, MenuLink } from '../../ui/dropdown-menu.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useWorkPrices } from '../models/work-price.ts';
import { taskActionOf } from './task-filter.ts';
import { useCancelTaskMutation, useRetryTaskMutation } from './tasks.api.ts';

const FORMATS = ['csv', 'json'] as const;

/** What can be done with the selected tasks. */
export function TaskBulkBar(state: BulkState<Task>) {
  const { t } = useTranslation(['bulk', 'tasks']);
  const user = useCurrentUser();
  const isRetried = (task: Task) => taskActionOf(task, user) === 'retry';
  const [cancel] = useCancelTaskMutation();
  const [retry] = useRetryTaskMutation();
  const { data: agents } = useListAgentsQuery();
  const priceOf = useWorkPrices();
  const count = state.items
    .filter((task) => state.selection.chosen.has(task.id) && isRetried(task))
    .map(({ agentId }) => agents?.find(({ id }) => id === agentId)?.model ?? null)
    .reduce((sum, model) => sum + (priceOf?.('task', model) ?? 1), 0);
  return (
    <BulkBar
      {...state}
      nameOf={({ input }) => input || t('tasks:noInput')}
      actions={[
        {
          key: 'cancel',
          icon: CircleStop,
          label: (n) => t('cancel.action', { n }),
          appliesTo: (task) => taskActionOf(task, user) === 'cancel',
          ask: {
            title: (n) => t('cancel.title', { n }),
            description: t('cancel.description'),
            cancelLabel: t('tasks:cancel.keep'),
            variant: 'destructive',
          },
          run: ({ id }) => cancel(id),
          done: (n) => t('cancel.done', { n }),
        },
        {
          key: 'retry',
          icon: RotateCw,
          label: (n) => t('retry.action', { n }),
          appliesTo: isRetried,
          ask: {
            title: (n) => t('retry.title', { n }),
            description: t('retry.description', { count }),
            cancelLabel: t('tasks:retry.keep'),
            variant: 'primary',
          },
          run: ({ id }) => retry(id),
          done: (n) => t('retry.done', { n }),
        },
      ]}
    >
      {(selected) => <ExportMenu tasks={selected} />}
    </BulkBar>
  );
}

/** These tasks, whole, as a file. */
function ExportMenu({ tasks }: { tasks: readonly Task[] }) {
  const { t } = useTranslation(['bulk', 'tasks']);
  const ids = tasks.map(({ id }) => id).join();
  return (
    <DropdownMenu
      trigger={
        <Button size="sm" icon={Download}>
          {t('export.action')}
        </Button>
      }
    >
      {FORMATS.map((format) => (
        <MenuLink
          key={format}
          href={`${exportTasks.path}?${new URLSearchParams({ ids, format })}`}
          download
        >
          {t(`tasks:export.${format}`)}
        </MenuLink>
      ))}
    </DropdownMenu>
  );
}
