import { jsonOf } from './answers.ts';
import type { Answered } from './call.ts';
import { AnswerError } from './errors.ts';
import type { ExecutionAccepted, ExecutionResult, TaskDetail } from './generated/api.ts';
import type { Operation } from './operations.ts';
import type { RequestOptions } from './options.ts';
import { retryAfterMs, sleep } from './timing.ts';
import type { Deadline, Transport } from './transport.ts';

const WAIT_MS_MIN = 250;
const WAIT_MS_MAX = 5_000;
const WAIT_MS = 1_000;
const GROWTH = 1.3;
const OPEN: readonly TaskDetail['status'][] = ['queued', 'running', 'waiting'];

/** The answer as the contract has it, which a strange server may break. */
function objectOf<T>(data: unknown): T {
  if (typeof data === 'object' && data !== null) return data as T;
  throw new AnswerError('The answer is not an object');
}

/** The task that an answer of status 202 names. */
export function acceptedTask(data: unknown): string {
  const { taskId } = objectOf<ExecutionAccepted>(data);
  if (typeof taskId === 'string') return taskId;
  throw new AnswerError('The answer names no task');
}

/** Reads the task until it has ended. */
export async function endedTask(
  transport: Transport,
  retrieve: Operation,
  taskId: string,
  {
    options,
    deadline,
    firstWaitMs = 0,
  }: {
    readonly options: RequestOptions;
    readonly deadline: Deadline;
    readonly firstWaitMs?: number;
  },
): Promise<Answered<TaskDetail>> {
  const request = { operation: retrieve, ids: [taskId] };
  let waitMs = firstWaitMs;
  for (let grown = WAIT_MS; ; grown = Math.min(grown * GROWTH, WAIT_MS_MAX)) {
    if (waitMs > 0) await sleep(waitMs, deadline.signal);
    const answered = await transport.send(request, options, deadline, jsonOf);
    const { status } = objectOf<TaskDetail>(answered.data);
    if (!OPEN.includes(status)) return answered as Answered<TaskDetail>;
    waitMs = Math.max(retryAfterMs(answered.response) ?? grown, WAIT_MS_MIN);
  }
}

/** What the execution would have answered. */
export function resultOf(task: TaskDetail): ExecutionResult {
  return {
    taskId: task.id,
    success: task.status === 'success',
    output: task.output,
    error: task.errorMessage,
    errorCode: task.errorCode,
    errorParams: task.errorParams,
    creditCost: task.creditCost,
    reasoning: task.reasoning,
    executionTimeMs: task.executionTimeMs,
    sources: task.sources,
  };
}
