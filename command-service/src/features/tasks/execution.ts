import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerEngine } from '@tallyhand/agent-runtime/engine';
import type { AgentModel } from '@tallyhand/contracts/features/agents/agents.fields';
import { AgentPausedNow } from '@tallyhand/contracts/features/agents/agents.refusals';
import type { DecideApprovalInput } from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import {
  NOTHING_SENT,
  progressId,
  progressSince,
  type TaskProgress,
} from '@tallyhand/contracts/features/tasks/task-progress';
import type { ExecutionResult } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { TaskWaits } from '@tallyhand/contracts/features/tasks/tasks.refusals';
import { DependencyDown, NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { formatPosition, parsePosition } from '@tallyhand/service-kit/event-store/position';
import { errorFields } from '@tallyhand/service-kit/log';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../kit/app.ts';
import type { CompletionSignals } from '../../kit/completion-signals.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import type { EventStream } from '../../kit/event-stream.ts';
import { noImages } from '../../kit/no-images.ts';
import { type Choosing, chooseResource, type Wanted } from './choose-resource.ts';
import { comparedModel } from './compared-model.ts';
import { type RequestedTask, type Task, taskStream, waitsFor } from './task.decider.ts';
import {
  DEADLINE_MINUTES,
  deadlineFrom,
  earlier,
  type RequestingContext,
  seenBy,
  tooLate,
} from './task-request.ts';
import type { EndedTask } from './task-runner-context.ts';

/** After this time the answer is 202, and the work continues. */
const WAIT_MS = 120_000;
/** A stream lasts until its task has ended, and the task has a deadline. */
const STREAM_MS = 2 * DEADLINE_MINUTES * 60_000;
/** How often a stream reads what its task has done, in any process. */
const PROGRESS_MS = 300;
const NOTHING_DONE: TaskProgress = { toolCalls: [], steps: [] };
/** Polling finds ends whose notification was lost, as while the database restarts. */
const LOOK_MS = 5_000;

type TaskAttachment = NonNullable<RequestedTask['attachments']>[number];
type Sending = Pick<Caller, 'userId' | 'organizationId'> & { readonly sentWith: string };

type Ending = ReturnType<CompletionSignals['wait']>;

/** The parts of other features. */
export type ExecutionContext = Choosing &
  Omit<RequestingContext, 'findAgent'> & {
    readonly completions: CompletionSignals;
    readonly findAgent: (
      id: string,
      organizationId: string,
    ) => Promise<{
      readonly isActive: boolean;
      readonly model: AgentModel | null;
      readonly playbooks: readonly string[];
      readonly tools: readonly string[];
    } | null>;
    /** The engine that answers for an agent. */
    readonly engineOf: (
      organizationId: string,
      model: AgentModel | null,
    ) => Promise<Pick<AnswerEngine, 'model' | 'seesImages'>>;
    /** Files of tasks. */
    readonly attachments: {
      find(sending: Sending, ids: readonly string[]): Promise<readonly TaskAttachment[] | Refusal>;
      send(
        sending: Sending & { readonly conversationId: null },
        ids: readonly string[],
      ): Promise<readonly TaskAttachment[] | Refusal>;
      unsend(sending: Omit<Sending, 'userId'>): Promise<void>;
    };
    /** Charges or releases the reservation, by how the task ended. */
    readonly settle: (context: CommandContext, task: EndedTask) => Promise<void>;
  };

type Call = {
  readonly caller: Caller;
  readonly context: CommandContext;
  readonly request: FastifyRequest;
  /** Answers as soon as the work is accepted, whatever the request prefers. */
  readonly isAsync?: true;
  /** Receives the progress of the task while it runs. */
  readonly events?: EventStream | null;
  /** Called once the credits are reserved and the task is requested. */
  readonly onAccepted?: (task: { readonly taskId: string; readonly price: number }) => void;
  /** Aborted when the caller leaves: that cancels the task. Without it, the work continues. */
  readonly left?: AbortSignal | undefined;
};

/** `ended`: the ended and settled task; null if it still runs. */
type Run = { readonly taskId: string; readonly ended: RequestedTask | null };

type Accepted = {
  readonly reply: { readonly status: 202; readonly body: { readonly taskId: string } };
};

/** Runs tasks for callers. */
export class Execution {
  readonly #context: ExecutionContext;
  readonly #tasks;

  constructor(context: ExecutionContext) {
    this.#context = context;
    this.#tasks = context.kit.streams.of(taskStream);
  }

  /** Reserves the credit, requests the work, and waits for its end, unless the call is asynchronous. */
  async run(wanted: Wanted, call: Call): Promise<ExecutionResult | Accepted | Refusal> {
    const { events = null, request } = call;
    const isAsync = call.isAsync ?? (!events && wantsAsync(request));
    const waitMs = events ? STREAM_MS : WAIT_MS;
    const run = await this.#run(wanted, call, isAsync ? null : waitMs);
    if (isRefusal(run)) return run;
    const { taskId, ended } = run;
    return ended ? resultOf(ended) : { reply: { status: 202, body: { taskId } } };
  }

  /** The same, for callers that can't be answered before the end. */
  async runToEnd(wanted: Wanted, call: Omit<Call, 'isAsync'>): Promise<RequestedTask | Refusal> {
    const run = await this.#run(wanted, call, STREAM_MS);
    if (isRefusal(run)) return run;
    const { taskId, ended } = run;
    if (ended) return ended;
    const task = await this.#tasks.load(taskId);
    return task && waitsFor(task) ? TaskWaits({ taskId }) : DependencyDown({ what: 'The worker' });
  }

  /** Stops a task that has not ended; it costs nothing. */
  async cancel(taskId: string, cancelledBy: string, context: CommandContext) {
    const { kit, queue, completions, settle } = this.#context;
    const command = { type: 'CancelTask', data: { cancelledBy } } as const;
    const answer = await this.#tasks.send(taskId, command, context);
    if (isRefusal(answer)) return answer;
    if (answer.state) await settle(context, answer.state);
    await queue.cancel(taskId);
    await completions.announce(taskId, formatPosition(kit.latest.current()));
    return null;
  }

  /** Decides on a call; the task resumes in the background. */
  async decide(
    task: Pick<RequestedTask, 'taskId'>,
    { arguments: changed, note, ...decided }: DecideApprovalInput,
    { caller, context }: Pick<Call, 'caller' | 'context'>,
  ): Promise<Refusal | null> {
    const data = {
      ...decided,
      ...(changed ? { arguments: JSON.stringify(changed) } : {}),
      ...(note ? { note } : {}),
      decidedBy: caller.userId,
      deadline: deadlineFrom(context.now),
    };
    const answer = await this.#tasks.send(task.taskId, { type: 'DecideApproval', data }, context);
    return isRefusal(answer) ? answer : null;
  }

  /** `waitMs`: how long for the end; null to answer as soon as the work is accepted. */
  async #run(wanted: Wanted, call: Call, waitMs: number | null): Promise<Run | Refusal> {
    const { kit, queue, completions, findAgent } = this.#context;
    const { caller, context, request, events = null, onAccepted, left } = call;
    const { organizationId, userId } = caller;
    const { agentId, type: taskType, input, retryOf, comparison } = wanted;
    const seen = seenBy(request, kit.latest.current());
    const agent = await findAgent(agentId, organizationId);
    if (!agent) return NotFound({ what: 'agent' });
    if (!agent.isActive) return AgentPausedNow({});
    const chosen = await chooseResource(this.#context, wanted, agent, organizationId);
    if (isRefusal(chosen)) return chosen;
    const taskId = idFor(context, 'task');
    const sending = { userId, organizationId, sentWith: taskId };
    // A retry in a comparison compares the same version and model again.
    const model = comparison ? comparedModel(agent.model, comparison.model) : agent.model;
    const attachments = await this.#attached(wanted, model, sending);
    if (isRefusal(attachments)) return attachments;
    const price = await this.#context.priceOf('task', organizationId, model);
    const refused = await this.#reserve(taskId, { ...wanted, price }, call);
    if (refused) {
      if (wanted.attachmentIds?.length) await this.#context.attachments.unsend(sending);
      return refused;
    }
    const deadline = deadlineFrom(context.now);
    const data = {
      organizationId,
      taskId,
      agentId,
      taskType,
      input,
      deadline,
      ...chosen,
      ...(retryOf ? { retryOf } : {}),
      ...(attachments.length > 0 ? { attachments: [...attachments] } : {}),
      ...(comparison ? { comparison } : {}),
      ...(wanted.context ? { context: wanted.context } : {}),
      ...(wanted.metadata ? { metadata: wanted.metadata } : {}),
      requestedBy: userId,
      price,
    };
    const waiting = completions.wait(taskId, LOOK_MS);
    let progress: Progress | null = null;
    const leave = () => this.#leave(taskId, caller, context);
    try {
      const requested = await this.#tasks.send(taskId, { type: 'RequestTask', data }, context);
      if (isRefusal(requested)) return requested;
      onAccepted?.({ taskId, price: requested.state?.price ?? price });
      if (requested.state?.end) return { taskId, ended: requested.state };
      const position = formatPosition(earlier(seen, kit.latest.current()));
      const { correlationId, commandId: causationId } = context;
      await queue.enqueue({ taskId, organizationId, correlationId, causationId, position });
      if (waitMs === null) return { taskId, ended: null };
      progress = events && new Progress(taskId, events, () => this.#tasks.load(taskId));
      left?.addEventListener('abort', leave, { once: true });
      if (left?.aborted) leave();
      const ended = await this.#settledTask(taskId, context, waiting, waitMs);
      if (ended) progress?.report(ended);
      return { taskId, ended };
    } finally {
      left?.removeEventListener('abort', leave);
      progress?.end();
      waiting.cancel();
    }
  }

  /** The files of the task, which are sent with it; a retried task brings its own. */
  async #attached(
    { attachments: earlier, attachmentIds = [] }: Wanted,
    model: AgentModel | null,
    sending: Sending,
  ): Promise<readonly TaskAttachment[] | Refusal> {
    const { attachments, engineOf } = this.#context;
    const found = earlier ?? (await attachments.find(sending, attachmentIds));
    if (isRefusal(found) || found.length === 0) return found;
    if (found.some(({ kind }) => kind === 'image')) {
      const engine = await engineOf(sending.organizationId, model);
      if (!engine.seesImages) return noImages(engine.model);
    }
    return earlier ?? attachments.send({ ...sending, conversationId: null }, attachmentIds);
  }

  /** The caller has gone away: the answer has no reader. */
  #leave(taskId: string, { userId }: Caller, context: CommandContext) {
    const { log } = this.#context.kit;
    this.cancel(taskId, userId, context).catch((error) =>
      log.warn('a task was not cancelled', { taskId, ...errorFields(error) }),
    );
  }

  /** Null when the credit is reserved. The task of a repeated call has its reservation already. */
  async #reserve(
    taskId: string,
    { agentId, type: workType, price }: Wanted & { readonly price: number },
    { caller, context }: Call,
  ) {
    if (!context.isFirst && (await this.#tasks.load(taskId))) return null;
    const { organizationId, userId: memberId } = caller;
    const refused = await this.#context.credits.reserve(context, {
      organizationId,
      workId: taskId,
      workType,
      agentId,
      memberId,
      price,
    });
    if (refused) return refused;
    return tooLate(context.now);
  }

  /** The ended and settled task; null if that takes too long. */
  async #settledTask(taskId: string, context: CommandContext, first: Ending, waitMs: number) {
    const { kit, completions, settle } = this.#context;
    const until = Date.now() + waitMs;
    for (let ending = first; ; ending = completions.wait(taskId, LOOK_MS)) {
      const at = parsePosition((await ending.ended) ?? '');
      if (at) kit.latest.advance(at);
      const task = await this.#tasks.load(taskId);
      if (task?.end) {
        if (!at) await settle(context, task);
        return task;
      }
      if (Date.now() >= until || (task && waitsFor(task))) return null;
    }
  }
}

/** Sends the tool calls and steps of a running task, until it is ended. */
class Progress {
  readonly #events: EventStream;
  readonly #ended = new AbortController();
  #sent = NOTHING_SENT;

  constructor(taskId: string, events: EventStream, load: () => Promise<Task>) {
    this.#events = events;
    events.send('started', { taskId }, progressId(this.#sent));
    // The call itself meets the same fault, and reports it.
    this.#follow(load).catch(() => {});
  }

  /** Sends what the task has done since the last report. */
  report(task: Task) {
    for (const { event, data, sent } of progressSince(this.#sent, task ?? NOTHING_DONE)) {
      this.#events.send(event, data, progressId(sent));
      this.#sent = sent;
    }
  }

  end() {
    this.#ended.abort();
  }

  async #follow(load: () => Promise<Task>) {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      this.report(await load());
      await sleep(PROGRESS_MS, null, { signal });
    }
  }
}

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
