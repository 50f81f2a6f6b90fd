import type { TaskSource } from '@tallyhand/contracts/features/tasks/tasks.events';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { showToast } from '../../ui/toast.ts';
import { useExecuteTaskMutation, useGetTaskQuery } from '../tasks/tasks.api.ts';

/** How the work ended. Without a task id it never began: then nothing was charged. */
export type Execution = {
  taskId?: string;
  success: boolean;
  output: string | null;
  error: string | null;
  creditCost: number;
  reasoning: string | null;
  executionTimeMs: number | null;
  sources: readonly TaskSource[];
};

const POLL_MS = 2_000;

const refused = (error: string): Execution => ({
  success: false,
  output: null,
  error,
  creditCost: 0,
  reasoning: null,
  executionTimeMs: null,
  sources: [],
});

/** The task that goes on after the answer, followed to its end. */
function useFollowed(taskId: string | undefined): Execution | undefined {
  const [ended, setEnded] = useState(false);
  const { data } = useGetTaskQuery(taskId ?? '', {
    skip: taskId === undefined,
    pollingInterval: ended ? 0 : POLL_MS,
  });
  const open = data?.status === 'queued' || data?.status === 'running';
  const done = data !== undefined && data.id === taskId && !open;
  useEffect(() => setEnded(done), [done]);
  if (!done) return undefined;
  return {
    ...data,
    taskId,
    success: data.status === 'success',
    error: data.errorMessage,
  };
}

/** Runs one task at a time, and says how it ended in a toast and as a value. */
export function useExecution(agentId: string) {
  const { t } = useTranslation('agents');
  const [execute, { isLoading }] = useExecuteTaskMutation();
  const [answer, setAnswer] = useState<Execution>();
  const [followedId, setFollowedId] = useState<string>();
  const followed = useFollowed(followedId);
  const result = followedId === undefined ? answer : followed;
  const told = useRef<Execution['taskId']>(undefined);

  useEffect(() => {
    if (!result?.taskId || told.current === result.taskId) return;
    told.current = result.taskId;
    showToast(
      result.success
        ? { title: t('toasts.taskCompleted') }
        : {
            variant: 'destructive',
            title: t('toasts.taskFailed'),
            description: t('toasts.taskFailedDescription'),
          },
    );
  }, [result, t]);

  /** Gives the error where the work did not begin. */
  const run = async (input: string): Promise<unknown> => {
    setAnswer(undefined);
    setFollowedId(undefined);
    const { data, error } = await execute({ agentId, input });
    if (error) {
      setAnswer(refused(describeProblem(t, error)));
      showToast({
        variant: 'destructive',
        title: t('toasts.taskFailed'),
        description: t('toasts.taskFailedDescription'),
      });
    } else if (data && 'success' in data) {
      setAnswer(data);
    } else {
      setFollowedId(data?.taskId);
    }
    return error;
  };
  const processing = isLoading || (followedId !== undefined && followed === undefined);
  return { run, processing, result };
}
