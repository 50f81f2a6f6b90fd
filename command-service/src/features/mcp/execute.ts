import type {
  ToolCall as DoneCall,
  TaskStep,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { cancelTask, executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { isRefused } from './product-api.ts';
import { outcomeOf, type TaskResult } from './task-results.ts';
import type { Outcome, ToolCall } from './tool.ts';

/**
 * Executes a task as any caller of the API does, and cancels it when the client cancels the call.
 * Null if the organization has no such agent.
 */
export async function execute(
  agentId: string,
  body: BodyOf<typeof executeTask>,
  { api, idempotencyKey, progress, cancelled }: ToolCall,
): Promise<Outcome<TaskResult> | null> {
  let taskId: string | undefined;
  let cancelling: Promise<unknown> | undefined;
  const cancel = () => {
    if (taskId && cancelled.aborted) {
      cancelling ??= api.command(cancelTask, { params: { id: taskId } });
    }
  };
  cancelled.addEventListener('abort', cancel, { once: true });
  const parts = { params: { id: agentId }, body, idempotencyKey };
  const answer = await api.streamed(executeTask, parts, ({ event, data }) => {
    if (event === 'started') {
      ({ taskId } = data as { taskId: string });
      cancel();
    }
    const message = messageOf(event, data);
    if (message) progress(message);
  });
  cancelled.removeEventListener('abort', cancel);
  // A refusal means that the task had ended before.
  await cancelling;
  if (isRefused(answer)) return answer.problem.status === 404 ? null : answer;
  return outcomeOf(answer.body);
}

function messageOf(event: string, data: unknown): string | null {
  switch (event) {
    case 'started':
      return 'The task has started';
    case 'toolCall':
      return `Called ${(data as DoneCall).toolName}`;
    case 'step': {
      const { ordinal, instruction } = data as TaskStep;
      return `Step ${ordinal}: ${instruction}`;
    }
    default:
      return null;
  }
}
