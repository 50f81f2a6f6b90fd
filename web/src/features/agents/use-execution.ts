import type { TaskDetail } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { showToast } from '../../ui/toast.ts';
import { isOpen } from '../tasks/task-filter.ts';
import { useExecuteTaskMutation, useGetTaskQuery } from '../tasks/tasks.api.ts';

const POLL_MS = 2_000;

/** What became of the instructions: a task on its way or ended, or why there is none. */
export type Execution = { task: TaskDetail } | { refusal: string };

/** The task, from its acceptance to its end. Changes are told; looking is for what was not. */
function useFollowed(taskId: string | undefined): TaskDetail | undefined {
  const [ended, setEnded] = useState(false);
  const { currentData } = useGetTaskQuery(taskId ?? '', {
    skip: taskId === undefined,
    pollingInterval: ended ? 0 : POLL_MS,
  });
  const done = currentData !== undefined && !isOpen(currentData);
  useEffect(() => setEnded(done), [done]);
  return currentData;
}

/** Runs one task at a time, and says how it ended in a toast and as a value. */
export function useExecution(agentId: string) {
  const { t } = useTranslation('agents');
  const [execute, { isLoading }] = useExecuteTaskMutation();
  const [refusal, setRefusal] = useState<string>();
  const [taskId, setTaskId] = useState<string>();
  const task = useFollowed(taskId);
  const told = useRef<string>(undefined);

  useEffect(() => {
    if (!task || isOpen(task) || told.current === task.id) return;
    told.current = task.id;
    showToast(
      task.status === 'success'
        ? { title: t('toasts.taskCompleted') }
        : {
            variant: 'destructive',
            title: t('toasts.taskFailed'),
            description: t('toasts.taskFailedDescription'),
          },
    );
  }, [task, t]);

  const run = async (wanted: Omit<Parameters<typeof execute>[0], 'agentId'>) => {
    setRefusal(undefined);
    setTaskId(undefined);
    const outcome = await execute({ agentId, ...wanted });
    setTaskId(outcome.data?.taskId);
    if (outcome.error) setRefusal(describeProblem(t, outcome.error));
    return outcome;
  };
  const processing = isLoading || (taskId !== undefined && !(task && !isOpen(task)));
  const execution: Execution | undefined = refusal ? { refusal } : task && { task };
  return { run, processing, execution };
}
