import type { executeTask, TaskDetail } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { showFailure, showToast } from '../../ui/toast.ts';
import { isOpen } from '../tasks/task-filter.ts';
import { useExecuteTaskMutation, useGetTaskQuery } from '../tasks/tasks.api.ts';

const POLL_MS = 2_000;
/** While a person has to decide. */
const WAITING_POLL_MS = 15_000;

/** What became of the instructions: a task on its way or ended, or why there is none. */
export type Execution = { task: TaskDetail } | { refusal: string };

function pollMsOf(task: TaskDetail | undefined): number {
  if (task?.status === 'waiting') return WAITING_POLL_MS;
  return !task || isOpen(task) ? POLL_MS : 0;
}

/** The task from its acceptance to its end. Polling finds changes that were not announced. */
function useFollowed(taskId: string | undefined): TaskDetail | undefined {
  const [pollingInterval, setPolling] = useState(POLL_MS);
  const { currentData } = useGetTaskQuery(taskId ?? '', {
    skip: taskId === undefined,
    pollingInterval,
  });
  const next = pollMsOf(currentData);
  useEffect(() => setPolling(next), [next]);
  return currentData;
}

/** Runs one task at a time; reports its outcome in a toast and returns it. */
export function useExecution(agentId: string) {
  const { t } = useTranslation('agents');
  const [execute, { isLoading }] = useExecuteTaskMutation();
  const [refusal, setRefusal] = useState<string>();
  const [taskId, setTaskId] = useState<string>();
  const task = useFollowed(taskId);
  const announced = useRef<string>(undefined);
  const last = useRef<BodyOf<typeof executeTask>>(undefined);

  useEffect(() => {
    if (!task || isOpen(task) || announced.current === task.id) return;
    announced.current = task.id;
    if (task.status === 'success') return showToast({ title: t('toasts.taskCompleted') });
    showFailure({ title: t('toasts.taskFailed'), description: t('toasts.taskFailedDescription') });
  }, [task, t]);

  const run = async (wanted: BodyOf<typeof executeTask>) => {
    last.current = wanted;
    setRefusal(undefined);
    setTaskId(undefined);
    const outcome = await execute({ id: agentId, ...wanted });
    setTaskId(outcome.data?.taskId);
    if (outcome.error) setRefusal(describeProblem(t, outcome.error));
    return outcome;
  };
  const retry = () => {
    if (last.current) void run(last.current);
  };
  // While it waits for a person, another task can be run.
  const works = !task || (isOpen(task) && task.status !== 'waiting');
  const processing = isLoading || (taskId !== undefined && works);
  const execution: Execution | undefined = refusal ? { refusal } : task && { task };
  return { run, retry, processing, execution };
}
