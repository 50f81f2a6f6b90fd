import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import {
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
import { TaskEnded } from '@tallyhand/contracts/features/tasks/tasks.refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { SentenceParams } from '@tallyhand/contracts/kernel/sentence';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

type Without<K extends string, D> = Omit<D, K>;
type Ids = 'taskId' | 'organizationId';

export type TaskCommand =
  | EventValue<'RequestTask', Parameters<typeof TaskRequested>[0]>
  | EventValue<'StartTask', Without<Ids, Parameters<typeof TaskStarted>[0]>>
  | EventValue<'NoteToolCall', Without<Ids, Parameters<typeof TaskToolCalled>[0]>>
  | EventValue<'CompleteStep', Without<Ids, Parameters<typeof TaskStepCompleted>[0]>>
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
  readonly end: TaskEnd | null;
};

export type DoneStep = Pick<
  Parameters<typeof TaskStepCompleted>[0],
  'ordinal' | 'instruction' | 'output' | 'sources' | 'executionTimeMs'
>;

export type DoneCall = Without<Ids, Parameters<typeof TaskToolCalled>[0]>;

/** A task ends once; later events change nothing. */
export type Task = RequestedTask | null;

export const taskDecider: Decider<Task, TaskCommand, TaskEvent, RefusalOf<typeof TaskEnded>> = {
  initialState: () => null,
  decide(command, task) {
    if (command.type === 'RequestTask') return task ? [] : [TaskRequested(command.data)];
    if (!task) return [];
    if (task.end) return command.type === 'CancelTask' ? cancelEnded(task.end) : [];
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
          end: null,
        };
      case 'TaskStarted':
        return task && { ...task, agentVersion: event.data.agentVersion };
      case 'TaskToolCalled':
        return task && { ...task, toolCalls: [...task.toolCalls, event.data] };
      case 'TaskStepCompleted':
        return task && { ...task, steps: [...task.steps, event.data] };
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

/** A repeat does nothing. A task that has ended otherwise can't be cancelled. */
function cancelEnded(end: TaskEnd) {
  if (end.success) return TaskEnded({ status: 'success' });
  return end.isCancelled ? [] : TaskEnded({ status: 'failed' });
}

export const taskStream: StreamPolicy<Task, TaskCommand, TaskEvent, RefusalOf<typeof TaskEnded>> = {
  category: 'task',
  decider: taskDecider,
  events: taskEvents,
  begunBy: 'RequestTask',
  isFinal: (task) => task?.end != null,
  cachedMax: 300,
};
