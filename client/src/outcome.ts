import { jsonOf } from './answers.ts';
import type { Answered } from './call.ts';
import type { ExecutionResult, TaskDetail } from './generated/api.ts';
import type { Operation } from './operations.ts';
import type { RequestOptions } from './options.ts';
import { retryAfterMs, sleep } from './timing.ts';
import type { Deadline, Transport } from './transport.ts';

const WAIT_MS_MIN = 250;
const WAIT_MS_MAX = 5_000;
const WAIT_MS = 1_000;
const GROWTH = 1.3;

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
    const { status } = answered.data as TaskDetail;
    if (status !== 'queued' && status !== 'running') return answered as Answered<TaskDetail>;
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
