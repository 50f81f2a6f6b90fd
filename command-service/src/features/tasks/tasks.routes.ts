import { decideApproval } from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import { compareVariants } from '@tallyhand/contracts/features/tasks/comparisons.endpoints';
import {
  type BatchedResult,
  cancelTask,
  ExecutionAccepted,
  executeTask,
  executeTasks,
  retryTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { NotYourTask, TaskNotRetried } from '@tallyhand/contracts/features/tasks/tasks.refusals';
import { NotFound, TooManyRequests } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { problemOf } from '@tallyhand/service-kit/http/problem';
import type { FastifyInstance } from 'fastify';
import type { Caller, Kit } from '../../kit/app.ts';
import type { Answer } from '../../kit/idempotency.ts';
import { innerCall, route } from '../../kit/route.ts';
import { type ComparisonContext, requestComparison } from './comparisons.ts';
import type { Execution } from './execution.ts';
import { type RequestedTask, taskStream } from './task.decider.ts';

type TasksContext = {
  readonly kit: Kit;
  readonly execution: Execution;
  readonly comparing: ComparisonContext;
};

export function tasksRoutes(app: FastifyInstance, { kit, execution, comparing }: TasksContext) {
  const tasks = kit.streams.of(taskStream);

  /** A task that the caller started, or any of the organization's for an Admin. */
  async function ownTask(id: string, caller: Caller): Promise<RequestedTask | Refusal> {
    const task = await tasks.load(id);
    if (task?.organizationId !== caller.organizationId) return NotFound({ what: 'task' });
    const isOwn = task.requestedBy === caller.userId || caller.role === 'Admin';
    return isOwn ? task : NotYourTask({});
  }

  /** Counts further tasks of a request as calls of its key. */
  function countOthers(caller: Caller, others: number): Refusal | null {
    const isKey = caller.kind === 'api-key' && others > 0;
    const retryAfterSeconds = isKey ? kit.keyCalls.count(caller.signInId, others) : null;
    return retryAfterSeconds === null ? null : TooManyRequests({ retryAfterSeconds });
  }

  route(app, kit, executeTask, { what: 'agent' }, ({ params, body, ...call }) => {
    const { attachments: attachmentIds, ...input } = body;
    return execution.run({ agentId: params.id, ...input, attachmentIds }, call);
  });

  route(app, kit, executeTasks, async ({ body, caller, request }) => {
    // Each task counts as a call of its key.
    const tooMany = countOthers(caller, body.tasks.length - 1);
    if (tooMany) return tooMany;
    const results: BatchedResult[] = [];
    // One after the other: the first ones get the credits.
    for (const { agentId, idempotencyKey: key, ...input } of body.tasks) {
      const asked = { request, caller, key, params: { id: agentId }, body: input };
      const { attachments: attachmentIds, ...wanted } = input;
      const answer = await innerCall(kit, executeTask, asked, (context) =>
        execution.run(
          { agentId, ...wanted, attachmentIds },
          { caller, context, request, isAsync: true },
        ),
      );
      results.push(resultOf(key, answer, request.id));
    }
    return { tasks: results };
  });

  route(app, kit, compareVariants, { what: 'agent' }, async ({ params, body, ...call }) => {
    const tooMany = countOthers(call.caller, body.variants.length - 1);
    return tooMany ?? requestComparison(comparing, { agentId: params.id, ...body }, call);
  });

  route(app, kit, cancelTask, async ({ caller, context, params }) => {
    const task = await ownTask(params.id, caller);
    if (isRefusal(task)) return task;
    const { taskId } = task;
    const refused = await execution.cancel(taskId, caller.userId, context);
    return refused ?? { taskId, status: 'cancelled' as const };
  });

  route(app, kit, decideApproval, { what: 'task' }, async ({ params, body, ...call }) => {
    const task = await tasks.load(params.id);
    const { organizationId } = call.caller;
    if (task?.organizationId !== organizationId) return NotFound({ what: 'task' });
    const refused = await execution.decide(task, body, call);
    const { approvalId, decision } = body;
    return refused ?? { taskId: task.taskId, approvalId, decision };
  });

  route(app, kit, retryTask, async ({ params, ...call }) => {
    const task = await ownTask(params.id, call.caller);
    if (isRefusal(task)) return task;
    const { taskType: type, taskId: retryOf, end, attachments = [], ...wanted } = task;
    if (!end || end.success) return TaskNotRetried({});
    return execution.run({ ...wanted, attachments, type, retryOf }, call);
  });
}

function resultOf(
  idempotencyKey: string,
  answer: Answer | Refusal,
  correlationId: string,
): BatchedResult {
  const { status } = answer;
  if (isRefusal(answer)) {
    const problem = problemOf(answer, correlationId);
    return { idempotencyKey, status, taskId: null, problem };
  }
  const { taskId } = ExecutionAccepted.parse(JSON.parse(answer.body ?? ''));
  return { idempotencyKey, status, taskId, problem: null };
}
