import { EngineFailure, type Passage } from '@tallyhand/agent-runtime/engine';
import { UsageMeter } from '@tallyhand/agent-runtime/usage-meter';
import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import {
  ApprovalExpired,
  TaskAgentDeleted,
  TaskNotRun,
  TaskPlaybookDeleted,
  TaskTooLate,
  TaskToolGone,
  ToolNeverCalled,
  ToolNeverWorked,
} from '@tallyhand/contracts/features/tasks/work-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import {
  formatPosition,
  type Position,
  parsePosition,
} from '@tallyhand/service-kit/event-store/position';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import type { JobWithMetadata } from 'pg-boss';
import { backgroundContext, type CommandContext } from '../../kit/context.ts';
import type { QueueWorker } from '../../kit/jobs.ts';
import {
  approvalDeadline,
  keptTurns,
  ToolApprovals,
  turnsBefore,
  type UsableTool,
} from '../../kit/tool-approvals.ts';
import { toolCallLog } from '../../kit/tool-call-log.ts';
import { comparedModel } from './compared-model.ts';
import { followPlaybook, type Playbook } from './follow-playbook.ts';
import { type DoneCall, type RequestedTask, taskStream, waitsFor } from './task.decider.ts';
import type { TaskJob, TaskQueue } from './task-queue.ts';
import type { TaskAgent, TaskRunnerContext } from './task-runner-context.ts';
import { startTask, type TaskStart } from './task-start.ts';
import { watchOver } from './task-watch.ts';

const READ_MODELS_WAIT_MS = 15_000;
const TOOL_ERROR_MAX = 500;
const TOOL_CALLS_MAX = 20;

const tasksEnded = counter({
  name: 'tallyhand_tasks_total',
  help: 'Tasks that a worker ended, by outcome.',
  known: ['succeeded', 'failed', 'cancelled'].map((outcome) => ({ outcome })),
});
const taskFailures = counter({
  name: 'tallyhand_task_failures_total',
  help: 'Tasks that failed, by the code of the failure.',
});

/** The call and the command that caused a worker's events. */
type Cause = { readonly correlationId: string; readonly causationId: string | null };

/** Runs tasks to their ends. After a crash, a task is continued. */
export class TaskRunner {
  readonly #context: TaskRunnerContext;
  readonly #tasks;

  constructor(context: TaskRunnerContext) {
    this.#context = context;
    this.#tasks = context.kit.streams.of(taskStream);
  }

  find(taskId: string) {
    return this.#tasks.load(taskId);
  }

  async run(job: TaskJob, stop: AbortSignal): Promise<void> {
    // The decision that resumes the task may have been stored by another process.
    const task = job.approvalId
      ? await this.#tasks.load(job.taskId)
      : await this.#tasks.known(job.taskId);
    if (!task) return;
    if (!task.end) await this.#runToEnd(task, job, stop);
    const ended = await this.#tasks.load(job.taskId);
    if (ended?.end) await this.#settle(ended, job);
  }

  /** Fails a task that can't be run: its attempts are used up, or its deadline has passed. */
  async giveUp(taskId: string, cause: Cause, reason: Sentence): Promise<void> {
    const task = await this.#tasks.load(taskId);
    if (!task) return;
    const isLate = reason.code === TaskTooLate.key;
    const why = isLate && waitsFor(task) ? ApprovalExpired({}) : reason;
    const { correlationId } = cause;
    this.#context.kit.log.warn('a task was given up', { taskId, code: why.code, correlationId });
    if (!task.end) await this.#fail(task, cause, why);
    const ended = await this.#tasks.load(taskId);
    if (ended?.end) await this.#settle(ended, cause);
  }

  async #runToEnd(task: RequestedTask, job: TaskJob, stop: AbortSignal) {
    const { kit, engineOf, findPlaybook, findPassages } = this.#context;
    const { openAttachments, closeTools } = this.#context;
    const commands = () => workerContext(task, job);
    const position = parsePosition(job.position);
    if (position && !(await kit.readPosition.reached(position, READ_MODELS_WAIT_MS))) {
      throw new Error('The read models are too far behind to run a task');
    }
    const { taskId, organizationId, input } = task;
    if (Date.parse(task.deadline) <= Date.now()) return this.giveUp(taskId, job, TaskTooLate({}));
    if (waitsFor(task)) return;
    const profile = await this.#profileOf(task, position ?? undefined);
    if (!profile) return this.#fail(task, job, TaskAgentDeleted({}));
    const playbook = task.playbookId && (await findPlaybook(task.playbookId, organizationId));
    if (playbook === null) return this.#fail(task, job, TaskPlaybookDeleted({}));
    const tools = await this.#toolsOf(task, profile);
    if (task.toolId && tools.length === 0) return this.#fail(task, job, TaskToolGone({}));
    const since = position ?? kit.latest.current();
    const attached = await openAttachments(organizationId, task.attachments ?? []);
    const passagesFor = async (question: string) => [
      ...attached.passagesFor(question),
      ...(await findPassages(organizationId, profile.articles, question, { since })),
    ];
    const passages = await passagesFor(input);
    const background = task.context ?? (await this.#backgroundOf(task));
    const isExact = task.comparison !== undefined;
    const engine = await engineOf(organizationId, profile.model, { price: task.price, isExact });
    const meter = new UsageMeter();
    const started = Date.now();
    using start = startTask(this.#tasks, taskId, {
      command: {
        type: 'StartTask',
        data: {
          model: engine.model,
          agentVersion: profile.version,
          articles: versionsOf(passages),
          ...(playbook ? { playbook: pinned(playbook) } : {}),
          ...(tools.length > 0 ? { tools: tools.map(pinnedTool) } : {}),
        },
      },
      context: commands(),
    });
    // Steps and tool calls must not be repeated: what another worker has done is read first.
    const begun = playbook || tools.length > 0 ? await start.now() : task;
    if (!begun) return;
    const { steps: done, toolCalls: before } = begun;
    const stopped = AbortSignal.any([stop, start.isOver]);
    using watch = watchOver(this.#context, task, {
      commands,
      stop: stopped,
      find: () => this.#tasks.load(taskId),
    });
    let said: readonly unknown[] = [];
    const calls = toolCallLog({
      by: 'task',
      callsMax: TOOL_CALLS_MAX,
      before,
      note: async (data) => {
        await this.#tasks.send(taskId, { type: 'NoteToolCall', data }, commands());
      },
    });
    const approvals = new ToolApprovals({
      approvals: begun.approvals,
      isMade: calls.isKnown,
      ask: async (call) => {
        const number = begun.approvals.length + 1;
        const data = {
          ...call,
          approvalId: derivedId(taskId, `approval-${number}`),
          turns: keptTurns(said),
          // A task waits for a day at most, however often it asks.
          deadline: approvalDeadline(new Date(task.requestedAt)),
          usage: meter.take(),
        };
        await this.#tasks.send(taskId, { type: 'RequestApproval', data }, commands());
      },
    });
    try {
      const signal = AbortSignal.any([watch.signal, approvals.waits]);
      const toolsFor = (step: number | null) =>
        tools.map((usable) =>
          approvals.tool({ ...usable, tool: calls.tool(usable.tool, step) }, step),
        );
      const turnsFor = (step: number | null) => {
        said = [];
        return {
          earlier: turnsBefore(begun.approvals, step),
          note: (all: readonly unknown[]) => {
            said = all;
          },
        };
      };
      const answer = playbook
        ? await followPlaybook({
            engine,
            agent: profile,
            playbook,
            input,
            done,
            toolsFor,
            turnsFor,
            signal,
            meter,
            images: attached.images,
            findPassages: passagesFor,
            completed: async (data) => {
              await this.#tasks.send(taskId, { type: 'CompleteStep', data }, commands());
            },
          })
        : await engine.answer({
            agent: profile,
            input,
            images: attached.images,
            passages,
            tools: toolsFor(null),
            turns: turnsFor(null),
            signal,
            onModelCall: meter.note,
            mustUseTool: task.toolId !== undefined,
            ...(background !== null ? { context: background } : {}),
          });
      if (task.toolId) checkToolWorked(calls.made());
      await start.end({
        command: {
          type: 'SucceedTask',
          data: {
            output: answer.output,
            reasoning: answer.reasoning,
            sources: answer.sources,
            model: answer.model,
            executionTimeMs: Date.now() - started,
            usage: meter.take(),
          },
        },
        context: commands(),
      });
    } catch (error) {
      if (approvals.waits.aborted) {
        // Callers that wait for the end are answered now.
        void this.#context.completions.announce(taskId, formatPosition(kit.latest.current()));
        return;
      }
      // A stopping worker does not fail the task: another worker continues it.
      if (stop.aborted || !(error instanceof EngineFailure)) throw error;
      const why = watch.isLate() ? TaskTooLate({}) : error.sentence;
      const executionTimeMs = Date.now() - started;
      await this.#fail(task, job, why, { start, executionTimeMs, usage: meter.take() });
    } finally {
      closeTools(taskId);
    }
  }

  /** The agent, in a comparison with the version and the model that are compared. */
  async #profileOf(
    { agentId, organizationId, comparison }: RequestedTask,
    since?: Position,
  ): Promise<TaskAgent | null> {
    const { findProfile, findVersion } = this.#context;
    if (!comparison) return findProfile(agentId, organizationId, since);
    const { agentVersion, model } = comparison;
    const profile = await findVersion(agentId, organizationId, agentVersion, since);
    return profile && { ...profile, model: comparedModel(profile.model, model) };
  }

  /** Only a task that no member asked for has a mail. */
  #backgroundOf({ taskId, requestedBy }: RequestedTask) {
    return requestedBy === null ? this.#context.findBackground(taskId) : null;
  }

  /** The tool that must be used, or all tools of the agent. */
  #toolsOf(
    { taskId, toolId, organizationId, comparison }: RequestedTask,
    { tools, formPolicy }: Pick<TaskAgent, 'tools' | 'formPolicy'>,
  ) {
    const ids = toolId ? tools.filter((id) => id === toolId) : tools;
    // Several answers to one instruction must not do, or ask for, the same thing several times.
    const readsOnly = comparison !== undefined;
    return this.#context.findTools(ids, organizationId, taskId, { readsOnly, formPolicy });
  }

  /** `begun`: the start, which may have to be stored with the end, and what was used since. */
  async #fail(
    task: RequestedTask,
    cause: Cause,
    { code, params, text: error }: Sentence,
    begun?: {
      readonly start: TaskStart;
      readonly executionTimeMs: number;
      readonly usage: ModelUsage[] | undefined;
    },
  ) {
    taskFailures.add({ code });
    const executionTimeMs = begun?.executionTimeMs ?? null;
    const data = { code, params, error, executionTimeMs, usage: begun?.usage };
    const command = { type: 'FailTask', data } as const;
    const context = workerContext(task, cause);
    if (begun) await begun.start.end({ command, context });
    else await this.#tasks.send(task.taskId, command, context);
  }

  async #settle(task: RequestedTask, cause: Cause) {
    const { kit, completions, settle } = this.#context;
    if (task.end) tasksEnded.add({ outcome: outcomeOf(task.end) });
    await settle(workerContext(task, cause), task);
    // A caller that is not notified, because this process dies, finds out by polling.
    void completions.announce(task.taskId, formatPosition(kit.latest.current()));
  }
}

/** Runs tasks of the queue until it is disposed of. */
export const workOnTasks = (queue: TaskQueue, runner: TaskRunner, log: Log): QueueWorker =>
  queue.work((job) => runJob(job, runner, log));

async function runJob(job: JobWithMetadata<TaskJob>, runner: TaskRunner, log: Log) {
  try {
    await runner.run(job.data, job.signal);
  } catch (error) {
    const { correlationId } = job.data;
    log.warn('a task did not run', { taskId: job.id, correlationId, ...errorFields(error) });
    if (job.retryCount < job.retryLimit) throw error;
    await runner.giveUp(job.data.taskId, job.data, TaskNotRun({}));
  }
}

const outcomeOf = (end: NonNullable<RequestedTask['end']>) => {
  if (end.success) return 'succeeded';
  return end.isCancelled ? 'cancelled' : 'failed';
};

const workerContext = (
  { organizationId }: RequestedTask,
  { correlationId, causationId }: Cause,
): CommandContext => backgroundContext('worker', organizationId, { correlationId, causationId });

const pinned = ({ playbookId, version, title }: Playbook) => ({ playbookId, version, title });

const pinnedTool = ({ version, tool }: UsableTool) => ({ toolId: tool.id, version });

/** A task with a required tool fails if no call of it succeeded. */
function checkToolWorked(calls: readonly DoneCall[]) {
  if (calls.some(({ success }) => success)) return;
  const said = calls.at(-1)?.output.slice(0, TOOL_ERROR_MAX);
  throw new EngineFailure(said === undefined ? ToolNeverCalled({}) : ToolNeverWorked({ said }));
}

function versionsOf(passages: readonly Passage[]) {
  const articles = passages.filter(({ isAttachment }) => !isAttachment);
  const versions = new Map(articles.map((p) => [p.articleId, p.articleVersion]));
  return [...versions].map(([articleId, version]) => ({ articleId, version }));
}
