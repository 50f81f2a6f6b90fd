import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { SentenceParams } from '../../kernel/sentence.ts';
import { ModelChoice } from '../agents/agents.fields.ts';
import { AttachmentFacts } from '../attachments/attachments.fields.ts';
import { ModelUsage } from '../models/model-usage.ts';

const task = { taskId: Id, organizationId: Id };

export const APPROVAL_DECISIONS = ['approved', 'refused'] as const;

/** A passage that an answer quotes, by article and version. */
export const TaskSource = z.object({
  articleId: Id,
  articleVersion: z.int(),
  articleTitle: z.string(),
  ordinal: z.int(),
  quote: z.string(),
  /** The passage is of an attached document; `articleId` is its id. */
  isAttachment: z.literal(true).optional(),
});
export type TaskSource = z.infer<typeof TaskSource>;

/** What answers one of the tasks of a comparison. */
export const TaskVariant = z.object({
  comparisonId: Id,
  /** Its place in the comparison, from 1. A task that retries another has the same. */
  ordinal: z.int(),
  agentVersion: z.int(),
  /** The model of the version, or another; null for the default of the installation. */
  model: ModelChoice.nullable(),
});
export type TaskVariant = z.infer<typeof TaskVariant>;

/** On `task-{id}`. The reservation that pays for the task has the same id. */
export const TaskRequested = event(
  'TaskRequested',
  {
    ...task,
    agentId: Id,
    taskType: z.enum(['query', 'tool_run', 'playbook']),
    input: z.string(),
    /** The conversation before the input. */
    context: z.string().optional(),
    /** What the caller keeps with the task; it means nothing to the agent. */
    metadata: z.record(z.string(), z.string()).optional(),
    requestedBy: Id.nullable(),
    /** The playbook to follow. */
    playbookId: Id.optional(),
    /** The tool to use. */
    toolId: Id.optional(),
    /** The task that this one retries. */
    retryOf: Id.optional(),
    /** Absent without any. */
    attachments: z.array(AttachmentFacts.extend({ name: z.string() })).optional(),
    price: z.int(),
    /** A task that has not ended by this moment fails. */
    deadline: Instant,
    /** Only of a task in a comparison. */
    comparison: TaskVariant.optional(),
  },
  // Version 2 may have attachments, version 3 a comparison, version 4 a context and metadata.
  [(data) => data, (data) => data, (data) => data],
);
/** The versions that the task uses, so that an old task shows the text that it really used. */
export const TaskStarted = event('TaskStarted', {
  ...task,
  model: z.string(),
  agentVersion: z.int(),
  articles: z.array(z.object({ articleId: Id, version: z.int() })),
  playbook: z.object({ playbookId: Id, version: z.int(), title: z.string() }).optional(),
  tools: z.array(z.object({ toolId: Id, version: z.int() })).optional(),
});
/** A tool's answer as the agent received it, secrets masked. `ordinal` counts from 1. */
export const TaskToolCalled = event('TaskToolCalled', {
  ...task,
  ordinal: z.int(),
  toolId: Id,
  toolName: z.string(),
  /** The playbook step that made the call. */
  step: z.int().nullable(),
  input: z.string(),
  output: z.string(),
  success: z.boolean(),
  executionTimeMs: z.int(),
});
/** Of the model calls since the task's event before; absent if there were none. */
const usage = z.array(ModelUsage).optional();

/**
 * The task waits until a person has decided on this call. At `deadline` it fails. `turns` is what
 * the model has said in this answer, as JSON, so that the task resumes from there.
 */
export const TaskApprovalRequested = event('TaskApprovalRequested', {
  ...task,
  approvalId: Id,
  toolId: Id,
  toolVersion: z.int(),
  toolName: z.string(),
  operation: z.string(),
  /** A JSON object. */
  arguments: z.string(),
  /** The playbook step that makes the call. */
  step: z.int().nullable(),
  turns: z.string(),
  deadline: Instant,
  usage,
});
/** The task resumes, and must end by `deadline`. */
export const TaskApprovalDecided = event('TaskApprovalDecided', {
  ...task,
  approvalId: Id,
  decision: z.enum(APPROVAL_DECISIONS),
  /** Other arguments than the agent's, as a JSON object. */
  arguments: z.string().optional(),
  /** For the agent, with a refusal. */
  note: z.string().optional(),
  /** Further calls of this version of the tool need no approval in this task. */
  forRun: z.boolean(),
  decidedBy: Id,
  deadline: Instant,
});

/** One step of a playbook; `ordinal` counts from 1. */
export const TaskStepCompleted = event(
  'TaskStepCompleted',
  {
    ...task,
    ordinal: z.int(),
    instruction: z.string(),
    output: z.string(),
    sources: z.array(TaskSource),
    executionTimeMs: z.int(),
    usage,
  },
  [(data) => data, (data) => data],
);
export const TaskSucceeded = event(
  'TaskSucceeded',
  {
    ...task,
    output: z.string(),
    reasoning: z.string().nullable(),
    sources: z.array(TaskSource),
    model: z.string(),
    executionTimeMs: z.int(),
    usage,
  },
  [(data) => data, (data) => data],
);
export const TaskFailed = event(
  'TaskFailed',
  {
    ...task,
    /** Code and parameters of the cause, and its sentence in English. */
    code: z.string(),
    params: SentenceParams,
    error: z.string(),
    executionTimeMs: z.int().nullable(),
    usage,
  },
  // Version 1 did not store the parameters.
  [(data) => ({ ...data, params: {} }), (data) => data],
);

/** A member cancelled it; it costs nothing. */
export const TaskCancelled = event('TaskCancelled', { ...task, cancelledBy: Id });

/** Every event of the stream, by type. */
export const taskEvents = {
  TaskRequested,
  TaskStarted,
  TaskToolCalled,
  TaskStepCompleted,
  TaskApprovalRequested,
  TaskApprovalDecided,
  TaskSucceeded,
  TaskFailed,
  TaskCancelled,
};
export type TaskEvent = EventsOf<typeof taskEvents>;
