import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import {
  TaskApprovalDecided,
  TaskApprovalRequested,
  TaskCancelled,
  type TaskEvent,
  TaskFailed,
  TaskRequested,
  type TaskSource,
  TaskStarted,
  TaskStepCompleted,
  TaskSucceeded,
  TaskToolCalled,
  type TaskVariant,
  taskEvents,
} from '@tallyhand/contracts/features/tasks/tasks.events';
import { ApprovalDecided, TaskEnded } from '@tallyhand/contracts/features/tasks/tasks.refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { SentenceParams } from '@tallyhand/contracts/kernel/sentence';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

type Without<K extends string, D> = Omit<D, K>;
type Ids = 'taskId' | 'organizationId';

export type TaskCommand =
  | EventValue<'RequestTask', Parameters<typeof TaskRequested>[0]>
  | EventValue<'StartTask', Without<Ids, Parameters<typeof TaskStarted>[0]>>
  | EventValue<'NoteToolCall', Without<Ids, Parameters<typeof TaskToolCalled>[0]>>
  | EventValue<'CompleteStep', Without<Ids, Parameters<typeof TaskStepCompleted>[0]>>
  | EventValue<'RequestApproval', Without<Ids, Parameters<typeof TaskApprovalRequested>[0]>>
  | EventValue<'DecideApproval', Without<Ids, Parameters<typeof TaskApprovalDecided>[0]>>
  | EventValue<'SucceedTask', Without<Ids, Parameters<typeof TaskSucceeded>[0]>>
  | EventValue<'FailTask', Without<Ids, Parameters<typeof TaskFailed>[0]>>
  | EventValue<'CancelTask', Without<Ids, Parameters<typeof TaskCancelled>[0]>>;

type TaskEnd =
  | {
      readonly success: true;
      readonly output: string;
      readonly reasoning: string | null;
      readonly sources: readonly TaskSource[];
      readonly executionTimeMs: number;
      readonly usage?: readonly ModelUsage[] | undefined;
    }
  | {
      readonly success: false;
      readonly isCancelled?: true;
      readonly code: string;
      readonly params: SentenceParams;
      readonly error: string;
      readonly executionTimeMs: number | null;
    };

export type RequestedTask = {
  readonly taskId: string;
  readonly organizationId: string;
  readonly agentId: string;
  readonly taskType: Parameters<typeof TaskRequested>[0]['taskType'];
  readonly input: string;
  readonly context?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly playbookId?: string | undefined;
  readonly toolId?: string | undefined;
  readonly attachments?: Parameters<typeof TaskRequested>[0]['attachments'];
  readonly requestedBy: string | null;
  readonly comparison?: TaskVariant | undefined;
  readonly price: number;
  readonly deadline: string;
  readonly requestedAt: string;
  /** The agent's version that works on it; null before it starts. */
  readonly agentVersion: number | null;
  /** The completed steps of a playbook, in order. */
  readonly steps: readonly DoneStep[];
  /** The tool calls, in order. */
  readonly toolCalls: readonly DoneCall[];
  /** The calls that people decide on, in order; the task waits while the last one is undecided. */
  readonly approvals: readonly RequestedApproval[];
  readonly end: TaskEnd | null;
};

export type DoneStep = Pick<
  Parameters<typeof TaskStepCompleted>[0],
  'ordinal' | 'instruction' | 'output' | 'sources' | 'executionTimeMs'
>;

export type DoneCall = Without<Ids, Parameters<typeof TaskToolCalled>[0]>;

type Decision = Without<Ids | 'approvalId' | 'deadline', Parameters<typeof TaskApprovalDecided>[0]>;

export type RequestedApproval = Without<
  Ids | 'deadline' | 'usage',
  Parameters<typeof TaskApprovalRequested>[0]
> & { readonly decided: Decision | null };

/** The approval that the task waits for. */
export const waitsFor = ({ approvals, end }: Pick<RequestedTask, 'approvals' | 'end'>) => {
  const last = approvals.at(-1);
  return !end && last && !last.decided ? last : null;
};

/** A task ends once; later events change nothing. */
export type Task = RequestedTask | null;

type TaskRefusal = RefusalOf<typeof TaskEnded | typeof ApprovalDecided | typeof NotFound>;

export const taskDecider: Decider<Task, TaskCommand, TaskEvent, TaskRefusal> = {
  initialState: () => null,
  decide(command, task) {
    if (command.type === 'RequestTask') return task ? [] : [TaskRequested(command.data)];
    if (!task) return [];
    if (task.end) return decideEnded(command, task, task.end);
    const { taskId, organizationId } = task;
    switch (command.type) {
      case 'StartTask':
        return [TaskStarted({ taskId, organizationId, ...command.data })];
      case 'NoteToolCall':
        if (command.data.ordinal !== task.toolCalls.length + 1) return [];
        return [TaskToolCalled({ taskId, organizationId, ...command.data })];
      case 'CompleteStep':
        // A step counts once, even if two workers complete it.
        if (command.data.ordinal !== task.steps.length + 1) return [];
        return [TaskStepCompleted({ taskId, organizationId, ...command.data })];
      case 'RequestApproval':
        // Two workers may ask for the same call, one of them after the decision.
        if (waitsFor(task) || isAsked(task, command.data.approvalId)) return [];
        return [TaskApprovalRequested({ taskId, organizationId, ...command.data })];
      case 'DecideApproval':
        return decideApproval(command.data, task);
      case 'SucceedTask':
        return [TaskSucceeded({ taskId, organizationId, ...command.data })];
      case 'FailTask':
        return [TaskFailed({ taskId, organizationId, ...command.data })];
      case 'CancelTask':
        return [TaskCancelled({ taskId, organizationId, ...command.data })];
    }
  },
  evolve(task, event, at) {
    switch (event.type) {
      case 'TaskRequested':
        return {
          ...event.data,
          requestedAt: at,
          agentVersion: null,
          steps: [],
          toolCalls: [],
          approvals: [],
          end: null,
        };
      case 'TaskStarted':
        return task && { ...task, agentVersion: event.data.agentVersion };
      case 'TaskToolCalled':
        return task && { ...task, toolCalls: [...task.toolCalls, event.data] };
      case 'TaskStepCompleted':
        return task && { ...task, steps: [...task.steps, event.data] };
      case 'TaskApprovalRequested': {
        const { taskId: _, organizationId: __, deadline, usage: ___, ...asked } = event.data;
        const approvals = [...(task?.approvals ?? []), { ...asked, decided: null }];
        return task && { ...task, deadline, approvals };
      }
      case 'TaskApprovalDecided': {
        const { taskId: _, organizationId: __, deadline, approvalId, ...decided } = event.data;
        const approvals = task?.approvals.map((one) =>
          one.approvalId === approvalId ? { ...one, decided } : one,
        );
        return task && { ...task, deadline, approvals: approvals ?? [] };
      }
      case 'TaskSucceeded':
        return task && { ...task, end: { success: true, ...event.data } };
      case 'TaskFailed':
        return task && { ...task, end: { success: false, ...event.data } };
      case 'TaskCancelled':
        return task && { ...task, end: CANCELLED };
    }
  },
};

const CANCELLED: TaskEnd = {
  success: false,
  isCancelled: true,
  code: 'cancelled',
  params: {},
  error: 'The task was cancelled.',
  executionTimeMs: null,
};

const isAsked = (task: RequestedTask, id: string) =>
  task.approvals.find(({ approvalId }) => approvalId === id);

type DecideData = Extract<TaskCommand, { type: 'DecideApproval' }>['data'];

function decideApproval(data: DecideData, task: RequestedTask) {
  const { taskId, organizationId } = task;
  const asked = isAsked(task, data.approvalId);
  if (!asked) return NotFound({ what: 'approval' });
  if (!asked.decided) return [TaskApprovalDecided({ taskId, organizationId, ...data })];
  return isSameDecision(asked.decided, data)
    ? []
    : ApprovalDecided({ decision: asked.decided.decision });
}

/** A repeated call is a retry. */
const isSameDecision = (decided: Decision, { decidedBy, decision, ...data }: DecideData) =>
  decided.decidedBy === decidedBy &&
  decided.decision === decision &&
  decided.arguments === data.arguments &&
  decided.note === data.note &&
  decided.forRun === data.forRun;

function decideEnded(command: TaskCommand, task: RequestedTask, end: TaskEnd) {
  if (command.type === 'CancelTask') return cancelEnded(end);
  if (command.type !== 'DecideApproval') return [];
  const answer = decideApproval(command.data, task);
  return isRefusal(answer) || answer.length === 0 ? answer : TaskEnded({ status: statusOf(end) });
}

const statusOf = (end: TaskEnd) => {
  if (end.success) return 'success';
  return end.isCancelled ? 'cancelled' : 'failed';
};

/** A repeat does nothing. A task that has ended otherwise can't be cancelled. */
function cancelEnded(end: TaskEnd) {
  if (end.success) return TaskEnded({ status: 'success' });
  return end.isCancelled ? [] : TaskEnded({ status: 'failed' });
}

export const taskStream: StreamPolicy<Task, TaskCommand, TaskEvent, TaskRefusal> = {
  category: 'task',
  decider: taskDecider,
  events: taskEvents,
  begunBy: 'RequestTask',
  isFinal: (task) => task?.end != null,
  cachedMax: 300,
};
