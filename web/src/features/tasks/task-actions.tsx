import type { Task, TaskDetail } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useTranslation } from 'react-i18next';
import type { Outcome } from '../../app/announce.ts';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useWorkPrice } from '../models/work-price.ts';
import { type TaskAction, taskActionOf } from './task-filter.ts';
import { useCancelTaskMutation, useRetryTaskMutation } from './tasks.api.ts';

export const useTaskAction = (task: Pick<Task, 'status' | 'requestedBy'>) =>
  taskActionOf(task, useCurrentUser());

/** Asks before a task is stopped, or run once more, which costs credits. */
export function TaskActionDialog({
  action,
  task,
  close,
  showTask,
}: {
  action: TaskAction;
  task: Pick<Task, 'id' | 'agentId'> & Partial<Pick<TaskDetail, 'comparison'>>;
  close: () => void;
  /** Opens the task that a retry began. */
  showTask: (id: string) => void;
}) {
  const { t } = useTranslation('tasks');
  const [cancel] = useCancelTaskMutation();
  const [retry] = useRetryTaskMutation();
  const { id, agentId, comparison } = task;
  const { data: agents } = useListAgentsQuery();
  const agent = agents?.find((one) => one.id === agentId);
  // In a comparison the same model answers again.
  const model = comparison ? comparison.model : (agent?.model ?? null);
  const count = useWorkPrice('task', model) ?? 1;
  return (
    <ConfirmAction
      variant={action === 'cancel' ? 'destructive' : 'primary'}
      title={t(`${action}.title`)}
      description={t(`${action}.description`, { count })}
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
