import {
  type ExecutionResult,
  isOpenStatus,
  TASK_STATUSES,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { z } from 'zod';
import { articleUri } from './resources.ts';
import type { Outcome } from './tool.ts';

const Source = z.object({
  articleId: z.string(),
  title: z.string(),
  quote: z.string(),
  uri: z.string().describe('The resource with the whole article'),
});

/** A task, as tools return it. */
export const TaskResult = z.object({
  taskId: z.string(),
  status: z.enum(TASK_STATUSES),
  output: z.string().nullable().describe('The answer; null unless the task has succeeded'),
  errorCode: z.string().nullable().describe('Why the task has failed, or null'),
  creditsCharged: z.int().describe('A task that has failed or was cancelled costs nothing'),
  executionTimeMs: z.int().nullable(),
  sources: z.array(Source).describe('The passages that the answer is based on'),
});
export type TaskResult = z.infer<typeof TaskResult>;

const sourcesOf = (sources: ExecutionResult['sources']) =>
  sources.map(({ articleId, articleTitle: title, quote }) => ({
    articleId,
    title,
    quote,
    uri: articleUri(articleId),
  }));

/** The output, and where it comes from. */
function textOf({ output, sources }: TaskResult): string {
  const named = new Map(sources.map(({ uri, title }) => [uri, title]));
  const list = [...named].map(([uri, title]) => `- ${title} (${uri})`).join('\n');
  return list ? `${output}\n\nSources:\n${list}` : (output ?? '');
}

/** What an executed task returned; `taskId` alone if it still runs. */
export function outcomeOf(answer: ExecutionResult | { taskId: string }): Outcome<TaskResult> {
  if (!('success' in answer)) {
    return pending({ ...NOTHING, taskId: answer.taskId, status: 'running' });
  }
  const { taskId, success, output, errorCode, creditCost, executionTimeMs, sources } = answer;
  const structured: TaskResult = {
    taskId,
    status: success ? 'success' : errorCode === CANCELLED ? 'cancelled' : 'failed',
    output,
    errorCode,
    creditsCharged: creditCost,
    executionTimeMs,
    sources: sourcesOf(sources),
  };
  if (success) return { text: textOf(structured), structured };
  return { problem: problemOf(answer), structured };
}

const CANCELLED = 'cancelled';
const NOTHING = {
  output: null,
  errorCode: null,
  creditsCharged: 0,
  executionTimeMs: null,
  sources: [],
};

const pending = (structured: TaskResult): Outcome<TaskResult> => ({
  text: `The task ${structured.taskId} is ${structured.status}. Call get_task for its result.`,
  structured,
});

/** A task as it is; that it has failed is no failure of looking at it. */
export function statusOutcome(task: TaskDetail): Outcome<TaskResult> {
  const { id: taskId, status, output, errorCode, errorMessage, executionTimeMs } = task;
  const structured: TaskResult = {
    taskId,
    status,
    output,
    errorCode,
    creditsCharged: task.charge?.amount ?? 0,
    executionTimeMs,
    sources: sourcesOf(task.sources),
  };
  if (isOpenStatus(status)) return pending(structured);
  if (status === 'success') return { text: textOf(structured), structured };
  return { text: `The task was not completed: ${errorMessage ?? status}`, structured };
}

/** A failed task as a problem. */
const problemOf = ({ error, errorCode, errorParams }: ExecutionResult): Problem => ({
  type: 'about:blank',
  title: 'The task failed',
  status: 422,
  detail: error ?? 'The task failed.',
  code: errorCode ?? 'task-failed',
  params: errorParams,
});
