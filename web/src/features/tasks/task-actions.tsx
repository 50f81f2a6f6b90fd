import type { Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { showToast } from '../../ui/toast.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { isOpen, mayRetry } from './task-filter.ts';
import { useCancelTaskMutation, useRetryTaskMutation } from './tasks.api.ts';

export type TaskAction = 'cancel' | 'retry';

/** What the person may do with a task: its own, and for Admins everybody's. */
export function useTaskAction(task: Pick<Task, 'status' | 'requestedBy'>): TaskAction | undefined {
  const { id, role } = useCurrentUser();
  if (task.requestedBy.id !== id && role !== 'Admin') return undefined;
  if (isOpen(task)) return 'cancel';
  return mayRetry(task) ? 'retry' : undefined;
}

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
  const [cancel, cancelling] = useCancelTaskMutation();
  const [retry, retrying] = useRetryTaskMutation();
  const confirm = async () => {
    const { data, error } = await (action === 'cancel' ? cancel(id) : retry(id));
    close();
    if (error) {
      const description = describeProblem(t, error);
      showToast({ variant: 'destructive', title: t(`${action}.didFail`), description });
      return;
    }
    showToast({ title: t(`${action}.done`) });
    if (action === 'retry' && data) showTask(data.taskId);
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={close}
      variant={action === 'cancel' ? 'destructive' : 'primary'}
      title={t(`${action}.title`)}
      description={t(`${action}.description`)}
      confirmLabel={t(`${action}.confirm`)}
      cancelLabel={t(`${action}.keep`)}
      onConfirm={confirm}
      pending={cancelling.isLoading || retrying.isLoading}
    />
  );
}
