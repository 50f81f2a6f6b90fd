import { z } from 'zod';
import { MEMBERS } from '../../kernel/access.ts';
import { EVENT_STREAM, endpoint, IDEMPOTENCY_KEY_LENGTH_MAX } from '../../kernel/endpoint.ts';
import { Id, IdList, Instant } from '../../kernel/ids.ts';
import { Created, LOOKS_ON, OneOf, Ordered, Page, SearchText } from '../../kernel/lists.ts';
import { Problem, TooManyStreams } from '../../kernel/problem.ts';
import { SentenceParams } from '../../kernel/sentence.ts';
import { AgentPausedNow } from '../agents/agents.refusals.ts';
import { Attachment } from '../attachments/attachments.endpoints.ts';
import { AttachmentIds } from '../attachments/attachments.fields.ts';
import { ModelTakesNoImages } from '../attachments/attachments.refusals.ts';
import { Charge } from '../credits/credits.endpoints.ts';
import {
  InsufficientCredits,
  ReservationIsExpired,
  ReservationSettled,
  SpendLimitReached,
} from '../credits/credits.refusals.ts';
import { ModelUsage } from '../models/model-usage.ts';
import { AnswerRating, RATINGS, Rating, RatingCounts } from '../ratings/ratings.fields.ts';
import { Approval } from './approvals.fields.ts';
import { TaskSource, TaskVariant } from './tasks.events.ts';
import {
  executeTasksExample,
  executionResultExample,
  taskDetailExample,
  taskExample,
  taskStatsExample,
} from './tasks.examples.ts';
import { TaskStep, ToolCall } from './tasks.fields.ts';
import {
  NoPlaybookAssigned,
  NoToolAssigned,
  NotYourTask,
  TaskEnded,
  TaskNotRetried,
} from './tasks.refusals.ts';

/** Have their names in the API document. */
export { Approval } from './approvals.fields.ts';
export { TaskSource, TaskVariant } from './tasks.events.ts';
export { TaskStep, ToolCall } from './tasks.fields.ts';

export const TASK_INPUT_MAX = 32_000;
export const TASK_TYPES = ['query', 'tool_run', 'playbook'] as const;
/** `waiting`: until a person has decided on a call of a tool. */
export const TASK_STATUSES = [
  'queued',
  'running',
  'waiting',
  'success',
  'failed',
  'cancelled',
] as const;

/** The task has not ended. */
export const isOpenStatus = (status: (typeof TASK_STATUSES)[number]): boolean =>
  status === 'queued' || status === 'running' || status === 'waiting';

/** In lists `input` and `output` are truncated to 2,000 characters, and `truncated` is set. */
export const Task = z.object({
  id: Id,
  agentId: Id,
  type: z.enum(TASK_TYPES),
  status: z.enum(TASK_STATUSES),
  input: z.string(),
  output: z.string().nullable(),
  /** In English; a tool's own words unchanged. */
  errorMessage: z.string().nullable(),
  /** Code and parameters of `errorMessage`. */
  errorCode: z.string().nullable(),
  errorParams: SentenceParams,
  reasoning: z.string().nullable(),
  executionTimeMs: z.int().nullable(),
  creditCost: z.int(),
  createdAt: Instant,
  /** Without a name: a former member. Without an id: not a person. */
  requestedBy: z.object({ id: Id.nullable(), name: z.string().nullable() }),
  /** How members rated the answer, and the caller's own rating. */
  rating: RatingCounts.extend({ own: Rating.nullable() }),
  truncated: z.boolean().optional(),
});
export type Task = z.infer<typeof Task>;

/** A complete task, with its sources and the reason of its charge. */
export const TaskDetail = Task.extend({
  /** The conversation before the input, if the caller sent one. */
  context: z.string().nullable(),
  /** What the caller keeps with the task. */
  metadata: z.record(z.string(), z.string()).nullable(),
  retryOf: Id.nullable(),
  agentName: z.string().nullable(),
  model: z.string().nullable(),
  /**
   * The playbook that was followed, in its version at the time, and the results of its steps so
   * far.
   */
  playbook: z.object({ id: Id, title: z.string(), version: z.int() }).nullable(),
  steps: z.array(TaskStep),
  /** The tool calls, in order; `input` and `output` without secrets. */
  toolCalls: z.array(ToolCall),
  /** The calls that people decide on, in order. */
  approvals: z.array(Approval),
  sources: z.array(TaskSource),
  attachments: z.array(Attachment),
  charge: Charge.nullable(),
  /** The 50 newest ratings of the answer. */
  ratings: z.array(AnswerRating),
  /** The model calls so far. */
  usage: z.array(ModelUsage),
  /** The comparison that the task is part of. */
  comparison: TaskVariant.nullable(),
});
export type TaskDetail = z.infer<typeof TaskDetail>;

/** The days that task figures list one by one, until today. */
export const TASK_STATS_DAYS = 14;

export const TaskStats = z.object({
  total: z.int(),
  success: z.int(),
  failed: z.int(),
  running: z.int(),
  waiting: z.int(),
  /** Calls of tools that wait for a decision, in tasks, chats and sessions; counted up to 100. */
  waitingCalls: z.int(),
  /** In the current calendar month (UTC). */
  createdThisMonth: z.int(),
  creditsUsed: z.int(),
  /** The last 14 days (UTC) until today, oldest first; also days without tasks. */
  latestDays: z.array(
    z.object({
      day: z.iso.date(),
      /** Tasks that were requested on this day, and how many of them failed so far. */
      tasks: z.int(),
      failed: z.int(),
      /** Charged on this day, for tasks and sessions, minus refunds. */
      credits: z.int(),
    }),
  ),
});
export type TaskStats = z.infer<typeof TaskStats>;

export const ExecutionResult = z.object({
  taskId: Id,
  success: z.boolean(),
  output: z.string().nullable(),
  error: z.string().nullable(),
  /** Code and parameters of `error`. */
  errorCode: z.string().nullable(),
  errorParams: SentenceParams,
  creditCost: z.int(),
  reasoning: z.string().nullable(),
  executionTimeMs: z.int().nullable(),
  sources: z.array(TaskSource),
});
export type ExecutionResult = z.infer<typeof ExecutionResult>;

/** Where to follow the work: `GET /api/tasks/{taskId}`. */
export const ExecutionAccepted = z.object({ taskId: Id });
export type ExecutionAccepted = z.infer<typeof ExecutionAccepted>;

export const TaskFilter = {
  q: SearchText('the input or output'),
  status: z
    .enum(TASK_STATUSES, { error: `status must be one of ${TASK_STATUSES.join(', ')}` })
    .optional(),
  type: z.enum(TASK_TYPES, { error: `type must be one of ${TASK_TYPES.join(', ')}` }).optional(),
  agentId: z.uuid({ error: 'agentId must be an id' }).optional(),
  rating: OneOf('rating', RATINGS)
    .meta({ description: `At least one member rated the answer so. ${LOOKS_ON}` })
    .optional(),
  ...Created,
};

export const TaskQuery = Page.extend({ ...TaskFilter, ...Ordered });

export const ExecuteInput = z.strictObject({
  input: z
    .string({ error: 'Please provide instructions for the agent' })
    .trim()
    .min(1, 'Please provide instructions for the agent')
    .max(TASK_INPUT_MAX, `Instructions must be at most ${TASK_INPUT_MAX} characters`),
  type: z
    .enum(TASK_TYPES, { error: `Type must be one of ${TASK_TYPES.join(', ')}` })
    .default('query'),
  /** Only for the type `playbook`; by default the only assigned one, or the best match. */
  playbookId: z.uuid({ error: 'playbookId must be an id' }).optional(),
  /** Only for the type `tool_run`; by default the only assigned one, or the best match. */
  toolId: z.uuid({ error: 'toolId must be an id' }).optional(),
  attachments: AttachmentIds.meta({
    description: 'Ids of uploaded files. Each can be sent once.',
  }).optional(),
});

/** What a stream sends while the task runs. */
const PROGRESS = { started: ExecutionAccepted, toolCall: ToolCall, step: TaskStep };
const STREAMED =
  'The events are `started` with the id of the task, then `toolCall` and `step` for what is done. A lost stream is joined again with `streamTask`.';

/** Why no task is started. The reservation may have ended when an interrupted call is resumed. */
export const NO_QUERY_STARTED = [
  InsufficientCredits,
  SpendLimitReached,
  ReservationSettled,
  ReservationIsExpired,
  AgentPausedNow,
];
const NOT_STARTED = [...NO_QUERY_STARTED, NoPlaybookAssigned, NoToolAssigned, ModelTakesNoImages];

export const executeTask = endpoint({
  name: 'executeTask',
  method: 'POST',
  path: '/api/agents/{id}/execute',
  access: MEMBERS,
  feature: 'tasks',
  summary: 'Execute a task',
  description:
    'Runs a task for one credit. A failed task costs nothing. With `Prefer: respond-async`, answers 202 at once; otherwise answers when the task has ended, or 202 if it waits for an approval or takes too long.\n\n' +
    STREAMED,
  params: z.strictObject({ id: Id }),
  body: ExecuteInput,
  example: { input: 'How long can items be returned?', type: 'query' },
  status: 200,
  answer: ExecutionResult,
  answerExample: executionResultExample,
  accepted: ExecutionAccepted,
  streamed: PROGRESS,
  location: '/api/tasks/{taskId}',
  refusals: NOT_STARTED,
});
/** Up to so many tasks in one request. */
export const BATCH_MAX = 100;
const A_LIST = `tasks must be a list of 1 to ${BATCH_MAX} tasks`;
const KEY_LENGTH = `idempotencyKey must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`;

export const BatchedTask = z.strictObject(
  {
    ...ExecuteInput.shape,
    agentId: z.uuid({ error: 'agentId must be an id' }),
    idempotencyKey: z
      .string({ error: KEY_LENGTH })
      .min(1, KEY_LENGTH)
      .max(IDEMPOTENCY_KEY_LENGTH_MAX, KEY_LENGTH),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'A task must be an object' : undefined) },
);

/** What became of one task of a batch. */
export const BatchedResult = z.object({
  idempotencyKey: z.string(),
  /** As `executeTask` would have answered with `Prefer: respond-async`. */
  status: z.int(),
  /** Null if the task was refused. */
  taskId: Id.nullable(),
  problem: Problem.nullable(),
});
export type BatchedResult = z.infer<typeof BatchedResult>;

export const executeTasks = endpoint({
  name: 'executeTasks',
  method: 'POST',
  path: '/api/tasks/batch',
  access: MEMBERS,
  feature: 'tasks',
  summary: 'Execute several tasks',
  description:
    'Starts up to 100 tasks, in their order, and answers with a status for each. A task sets its own credit aside: those beyond the balance have the status 402. A task whose `idempotencyKey` was used before is the earlier one, so a batch may be sent again.',
  body: z.strictObject({
    tasks: z.array(BatchedTask, { error: A_LIST }).min(1, A_LIST).max(BATCH_MAX, A_LIST),
  }),
  example: {
    tasks: [
      {
        agentId: '0193a1b2-0000-7000-8000-000000000001',
        idempotencyKey: 'question-1',
        input: 'How long can items be returned?',
      },
    ],
  },
  isKeyless: true,
  status: 200,
  answer: z.object({ tasks: z.array(BatchedResult) }),
  answerExample: executeTasksExample,
});
export const listTasks = endpoint({
  name: 'listTasks',
  method: 'GET',
  path: '/api/tasks',
  access: MEMBERS,
  feature: 'tasks',
  summary: 'List tasks',
  description:
    'Returns the tasks that match the filter, newest first unless `order` says otherwise.',
  query: TaskQuery,
  status: 200,
  answer: z.array(Task),
  answerExample: [taskExample],
});
export const getTask = endpoint({
  name: 'getTask',
  method: 'GET',
  path: '/api/tasks/{id}',
  access: MEMBERS,
  feature: 'tasks',
  summary: 'Retrieve a task',
  description: 'Returns one task with its whole texts, steps, tool calls, sources and charge.',
  params: z.strictObject({ id: Id }),
  status: 200,
  answer: TaskDetail,
  answerExample: taskDetailExample,
});
export const streamTask = endpoint({
  name: 'streamTask',
  method: 'GET',
  path: '/api/tasks/{id}/events',
  access: MEMBERS,
  feature: 'tasks',
  summary: 'Stream a task',
  description:
    'Tells what a task does, from its start or, with `Last-Event-ID`, after that event. The last event is `reply`; then the stream ends. It also ends with the sign-in or key that opened it.',
  params: z.strictObject({ id: Id }),
  status: 200,
  media: EVENT_STREAM,
  streamed: { ...PROGRESS, reply: ExecutionResult },
  takesLastEventId: true,
  refusals: [TooManyStreams],
});
export const getTaskStats = endpoint({
  name: 'getTaskStats',
  method: 'GET',
  path: '/api/tasks/stats',
  access: MEMBERS,
  feature: 'tasks',
  summary: 'Retrieve task figures',
  description: 'Returns figures over all tasks of the organization.',
  status: 200,
  answer: TaskStats,
  answerExample: taskStatsExample,
});
/** So many tasks are exported by their ids. */
export const EXPORTED_IDS_MAX = 100;

export const exportTasks = endpoint({
  name: 'exportTasks',
  method: 'GET',
  path: '/api/tasks/export',
  access: MEMBERS,
  feature: 'tasks',
  summary: 'Export tasks',
  description:
    'Returns the tasks that match the filter with their whole texts as CSV or JSON, oldest first. With `ids` the filter does not apply.',
  query: z.strictObject({
    ...TaskFilter,
    ids: IdList(EXPORTED_IDS_MAX, 'The tasks').optional(),
    format: z.enum(['csv', 'json'], { error: 'format must be csv or json' }).default('csv'),
  }),
  status: 200,
  media: 'text/csv',
});
export const cancelTask = endpoint({
  name: 'cancelTask',
  method: 'POST',
  path: '/api/tasks/{id}/cancel',
  access: MEMBERS,
  feature: 'tasks',
  summary: 'Cancel a task',
  description: 'Stops a task that has not ended. For the member who started it, and Admins.',
  params: z.strictObject({ id: Id }),
  status: 200,
  answer: z.object({ taskId: Id, status: z.literal('cancelled') }),
  answerExample: { taskId: '0193a1b2-0000-7000-8000-000000000001', status: 'cancelled' },
  refusals: [TaskEnded, NotYourTask],
});
export const retryTask = endpoint({
  name: 'retryTask',
  method: 'POST',
  path: '/api/tasks/{id}/retry',
  access: MEMBERS,
  feature: 'tasks',
  summary: 'Retry a task',
  description:
    'Runs a failed or cancelled task again as a new task, for one credit. In a comparison it takes the place of the first.',
  params: z.strictObject({ id: Id }),
  status: 200,
  answer: ExecutionResult,
  answerExample: executionResultExample,
  accepted: ExecutionAccepted,
  streamed: PROGRESS,
  location: '/api/tasks/{taskId}',
  refusals: [TaskNotRetried, NotYourTask, ...NOT_STARTED],
});
