import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import type { OpenAiTask } from '@tallyhand/contracts/features/openai/openai.endpoints';
import { TaskNotSucceeded } from '@tallyhand/contracts/features/openai/openai.refusals';
import type { TaskSource } from '@tallyhand/contracts/features/tasks/tasks.events';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { SentenceParams } from '@tallyhand/contracts/kernel/sentence';

type End =
  | {
      readonly success: true;
      readonly output: string;
      readonly sources: readonly TaskSource[];
      readonly usage?: readonly ModelUsage[] | undefined;
    }
  | {
      readonly success: false;
      readonly code: string;
      readonly params: SentenceParams;
      readonly error: string;
    };

/** A task that has ended, or not. */
export type RunTask = {
  readonly taskId: string;
  readonly agentId: string;
  readonly requestedAt: string;
  readonly price: number;
  readonly end: End | null;
};

/** A task that has succeeded. */
export type Answered = Omit<RunTask, 'end'> & Extract<End, { success: true }>;

/** A failed task costs nothing, and is an error. */
export function answeredOrRefused({ end, ...task }: RunTask): Answered | Refusal {
  if (end?.success) return { ...task, ...end };
  const { code: cause = '', params: causeParams = {}, error: sentence = '' } = end ?? {};
  return TaskNotSucceeded({ taskId: task.taskId, cause, causeParams, sentence });
}

/** Of all model calls of the task. */
export function tokensOf({ usage = [] }: Pick<Answered, 'usage'>) {
  const sum = (of: (one: ModelUsage) => number) => usage.reduce((all, one) => all + of(one), 0);
  return {
    input: sum(({ inputTokens }) => inputTokens),
    cached: sum(({ cachedTokens }) => cachedTokens),
    output: sum(({ outputTokens }) => outputTokens),
  };
}

export const taskOf = ({ taskId, price, sources }: Answered): OpenAiTask => ({
  task_id: taskId,
  credits: price,
  sources: [...sources],
});

export const secondsOf = (moment: Date | string) => Math.floor(new Date(moment).getTime() / 1000);

/** Ids of OpenAI's API have no hyphens behind their prefix. */
export const shortId = (id: string) => id.replaceAll('-', '');
