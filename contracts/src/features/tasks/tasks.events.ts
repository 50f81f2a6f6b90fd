import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { SentenceParams } from '../../kernel/sentence.ts';

const task = { taskId: Id, organizationId: Id };

/** A passage that an answer rests on, by article and version. */
export const TaskSource = z.object({
  articleId: Id,
  articleVersion: z.int(),
  articleTitle: z.string(),
  ordinal: z.int(),
  quote: z.string(),
});
export type TaskSource = z.infer<typeof TaskSource>;

/** On `task-{id}`. The reservation that pays for the task has the task's own id. */
export const TaskRequested = event('TaskRequested', {
  ...task,
  agentId: Id,
  taskType: z.enum(['query', 'tool_run', 'playbook']),
  input: z.string(),
  requestedBy: Id.nullable(),
  /** The playbook that is to be followed. */
  playbookId: Id.optional(),
  /** The tool that must be used. */
  toolId: Id.optional(),
  /** The task that is tried once more. */
  retryOf: Id.optional(),
  price: z.int(),
  /** After this moment a task that has not ended is ended as failed. */
  deadline: Instant,
});
/** What the work stands on: versions, so that an old task shows the text that it really used. */
export const TaskStarted = event('TaskStarted', {
  ...task,
  model: z.string(),
  agentVersion: z.int(),
  articles: z.array(z.object({ articleId: Id, version: z.int() })),
  playbook: z.object({ playbookId: Id, version: z.int(), title: z.string() }).optional(),
  tools: z.array(z.object({ toolId: Id, version: z.int() })).optional(),
});
/** A tool's answer, as the agent was told it, secrets masked. `ordinal` counts from 1. */
export const TaskToolCalled = event('TaskToolCalled', {
  ...task,
  ordinal: z.int(),
  toolId: Id,
  toolName: z.string(),
  /** The step of the playbook that it was called in. */
  step: z.int().nullable(),
  input: z.string(),
  output: z.string(),
  success: z.boolean(),
  executionTimeMs: z.int(),
});
/** One step of a playbook; `ordinal` counts from 1. */
export const TaskStepCompleted = event('TaskStepCompleted', {
  ...task,
  ordinal: z.int(),
  instruction: z.string(),
  output: z.string(),
  sources: z.array(TaskSource),
  executionTimeMs: z.int(),
});
export const TaskSucceeded = event('TaskSucceeded', {
  ...task,
  output: z.string(),
  reasoning: z.string().nullable(),
  sources: z.array(TaskSource),
  model: z.string(),
  executionTimeMs: z.int(),
});
export const TaskFailed = event(
  'TaskFailed',
  {
    ...task,
    /** Stable name of the cause, what its sentence is filled with, and the sentence in English. */
    code: z.string(),
    params: SentenceParams,
    error: z.string(),
    executionTimeMs: z.int().nullable(),
  },
  // What the sentence was filled with was not kept.
  [(data) => ({ ...data, params: {} })],
);

/** Somebody stopped it before its end; it costs nothing. */
export const TaskCancelled = event('TaskCancelled', { ...task, cancelledBy: Id });

/** Every event of the stream, by type. */
export const taskEvents = {
  TaskRequested,
  TaskStarted,
  TaskToolCalled,
  TaskStepCompleted,
  TaskSucceeded,
  TaskFailed,
  TaskCancelled,
};
export type TaskEvent = EventsOf<typeof taskEvents>;
