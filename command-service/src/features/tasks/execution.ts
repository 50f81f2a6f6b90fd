import { AgentPausedNow } from '@tallyhand/contracts/features/agents/agents.refusals';
import { PRICE_OF } from '@tallyhand/contracts/features/credits/credits.prices';
import type { ExecutionResult } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { DependencyDown, NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import {
  comparePositions,
  formatPosition,
  maxPosition,
  type Position,
  parsePosition,
} from '@tallyhand/service-kit/event-store/position';
import { positionToPass } from '@tallyhand/service-kit/http/cookies';
import type { FastifyRequest } from 'fastify';
import type { Caller, Kit } from '../../kit/app.ts';
import type { CompletionSignals } from '../../kit/completion-signals.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { type Choosing, chooserOf, type Wanted } from './choose-resources.ts';
import type { EndedTask } from './run-task.ts';
import { type RequestedTask, taskStream } from './task.decider.ts';
import type { TaskQueue } from './task-queue.ts';

export const DEADLINE_MINUTES = 5;
/** Half of the time after which the sweep looks into a reservation without a task. */
export const RESERVED_MS_MAX = 15_000;
/** After this time the answer is 202, and the work goes on. */
const WAIT_MS = 120_000;
/** An ending whose notification was lost, as while the database restarted, is found by polling. */
const LOOK_MS = 5_000;

type Ending = ReturnType<CompletionSignals['wait']>;

/** What running tasks needs of the other features. */
export type ExecutionContext = Choosing & {
  readonly kit: Kit;
  readonly queue: TaskQueue;
  readonly completions: CompletionSignals;
  readonly findAgent: (
    id: string,
    organizationId: string,
  ) => Promise<{
    readonly isActive: boolean;
    readonly playbooks: readonly string[];
    readonly tools: readonly string[];
  } | null>;
  readonly reserve: (
    context: CommandContext,
    task: {
      readonly organizationId: string;
      readonly workId: string;
      readonly workType: Wanted['type'];
      readonly agentId: string;
      /** Null where no member asked for it. */
      readonly memberId: string | null;
      readonly price: number;
    },
  ) => Promise<Refusal | null>;
  /** Charges or releases what was set aside, by how the task ended. */
  readonly settle: (context: CommandContext, task: EndedTask) => Promise<void>;
};

type Call = {
  readonly caller: Caller;
  readonly context: CommandContext;
  readonly request: FastifyRequest;
  /** Answers as soon as the work is accepted, whatever the request prefers. */
  readonly isAsync?: true;
};

type Accepted = {
  readonly reply: { readonly status: 202; readonly body: { readonly taskId: string } };
};

/** Runs a task for a caller: sets the credit aside, requests the work, and waits for its end. */
export function executionOf(context: ExecutionContext) {
  const { kit, queue, completions, findAgent, reserve, settle } = context;
  const choose = chooserOf(context);
  const tasks = kit.streams.of(taskStream);

  /** The task after its end, settled; null when that takes too long. */
  async function settledTask(taskId: string, context: CommandContext, first: Ending) {
    const until = Date.now() + WAIT_MS;
    for (let ending = first; ; ending = completions.wait(taskId, LOOK_MS)) {
      const at = parsePosition((await ending.ended) ?? '');
      if (at) kit.latest.advance(at);
      const task = await tasks.load(taskId);
      if (task?.end) {
        if (!at) await settle(context, task);
        return task;
      }
      if (Date.now() >= until) return null;
    }
  }

  /** Null when the credit is set aside; a repeated call finds its own task, which has its own. */
  async function pay(taskId: string, wanted: Wanted, { caller, context }: Call) {
    if (!context.isFirst && (await tasks.load(taskId))) return null;
    const { organizationId, userId: memberId } = caller;
    const { agentId, type: workType } = wanted;
    const refused = await reserve(context, {
      organizationId,
      workId: taskId,
      workType,
      agentId,
      memberId,
      price: PRICE_OF.task,
    });
    if (refused) return refused;
    // Past this the reservation may be taken for one left behind, and be released.
    const isLate = Date.now() - context.now.getTime() > RESERVED_MS_MAX;
    return isLate ? DependencyDown({ what: 'The event store' }) : null;
  }

  return async (wanted: Wanted, call: Call): Promise<ExecutionResult | Accepted | Refusal> => {
    const { caller, context, request, isAsync = wantsAsync(request) } = call;
    const { organizationId, userId } = caller;
    const { agentId, type: taskType, input, retryOf } = wanted;
    const seen = seenBy(request, kit.latest.current());
    const agent = await findAgent(agentId, organizationId);
    if (!agent) return NotFound({ what: 'agent' });
    if (!agent.isActive) return AgentPausedNow({});
    const chosen = await choose(wanted, agent, organizationId);
    if (isRefusal(chosen)) return chosen;
    const taskId = idFor(context, 'task');
    const refused = await pay(taskId, wanted, call);
    if (refused) return refused;
    const deadline = new Date(context.now.getTime() + DEADLINE_MINUTES * 60_000).toISOString();
    const data = {
      organizationId,
      taskId,
      agentId,
      taskType,
      input,
      deadline,
      ...chosen,
      ...(retryOf ? { retryOf } : {}),
      requestedBy: userId,
      price: PRICE_OF.task,
    };
    const accepted = { reply: { status: 202, body: { taskId } } } as const;
    const waiting = completions.wait(taskId, LOOK_MS);
    try {
      const requested = await tasks.send(taskId, { type: 'RequestTask', data }, context);
      if (isRefusal(requested)) return requested;
      if (requested.state?.end) return resultOf(requested.state);
      const position = formatPosition(earlier(seen, kit.latest.current()));
      const { correlationId, commandId: causationId } = context;
      await queue.enqueue({ taskId, organizationId, correlationId, causationId, position });
      if (isAsync) return accepted;
      const task = await settledTask(taskId, context, waiting);
      return task ? resultOf(task) : accepted;
    } finally {
      waiting.cancel();
    }
  };
}

/** What the caller may have seen before the call, here or from another process. */
function seenBy(request: FastifyRequest, latest: Position): Position {
  const own = positionToPass(request);
  return own ? maxPosition(own, latest) : latest;
}

/** What a caller says it has seen can't lie behind what its own call has written. */
const earlier = (a: Position, b: Position) => (comparePositions(a, b) < 0 ? a : b);

const wantsAsync = ({ headers }: FastifyRequest) =>
  String(headers.prefer ?? '').includes('respond-async');

function resultOf({ taskId, price, end }: RequestedTask): ExecutionResult {
  const executionTimeMs = end?.executionTimeMs ?? null;
  if (end?.success) {
    const { output, reasoning, sources } = end;
    return {
      taskId,
      success: true,
      output,
      error: null,
      errorCode: null,
      errorParams: {},
      creditCost: price,
      reasoning,
      executionTimeMs,
      sources: [...sources],
    };
  }
  return {
    taskId,
    success: false,
    output: null,
    error: end?.error ?? null,
    errorCode: end?.code ?? null,
    errorParams: end?.params ?? {},
    creditCost: 0,
    reasoning: null,
    executionTimeMs,
    sources: [],
  };
}
