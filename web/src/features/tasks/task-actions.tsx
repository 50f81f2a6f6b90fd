import type { Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useTranslation } from 'react-i18next';
import type { Outcome } from '../../app/announce.ts';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { type TaskAction, taskActionOf } from './task-filter.ts';
import { useCancelTaskMutation, useRetryTaskMutation } from './tasks.api.ts';

export const useTaskAction = (task: Pick<Task, 'status' | 'requestedBy'>) =>
  taskActionOf(task, useCurrentUser());

/** Asks before a task is stopped, or run once more for another credit. */
export function TaskActionDialog({
  action,
  id,
  close,
  showTask,
}: {
  action: TaskAction;
  id: string;
  close: () => void;
  /** Opens the task that a retry began. */
  showTask: (id: string) => void;
}) {
  const { t } = useTranslation('tasks');
  const [cancel] = useCancelTaskMutation();
  const [retry] = useRetryTaskMutation();
  return (
    <ConfirmAction
      variant={action === 'cancel' ? 'destructive' : 'primary'}
      title={t(`${action}.title`)}
      description={t(`${action}.description`)}
      confirmLabel={t(`${action}.confirm`)}
      cancelLabel={t(`${action}.keep`)}
      run={(): PromiseLike<Outcome<{ taskId?: string }>> =>
        action === 'cancel' ? cancel(id) : retry(id)
      }
      announcement={{ done: t(`${action}.done`), failed: t(`${action}.didFail`) }}
      onDone={({ taskId }) => action === 'retry' && taskId && showTask(taskId)}
      close={close}
    />
  );
}
