import { z } from 'zod';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id } from '../../kernel/ids.ts';
import { NotFound } from '../../kernel/problem.ts';
import { AgentPausedNow } from '../agents/agents.refusals.ts';
import {
  InsufficientCredits,
  ReservationIsExpired,
  ReservationSettled,
  SpendLimitReached,
} from '../credits/credits.refusals.ts';
import { TASK_INPUT_MAX } from '../tasks/tasks.endpoints.ts';
import { TaskSource } from '../tasks/tasks.events.ts';
import { TaskWaits } from '../tasks/tasks.refusals.ts';
import { chatCompletionExample, modelExample, openAiResponseExample } from './openai.examples.ts';
import {
  contentOf,
  ignored,
  MESSAGES_MAX,
  Metadata,
  Model,
  OF_OPENAI,
  ROLE,
  Stream,
  textOr,
  unsupported,
} from './openai.fields.ts';
import { SeveralAgents, TaskNotSucceeded } from './openai.refusals.ts';

/** Has its name in the API document. */
export { OpenAiError } from '../../kernel/openai-error.ts';

/** An agent as a model, or the embedding model. */
export const OpenAiModel = z.object({
  /** The agent's id, or the name of the embedding model. */
  id: z.string(),
  object: z.literal('model'),
  /** Seconds since 1970. */
  created: z.int(),
  /** `tallyhand` for agents, `tallyhand-embeddings` for the embedding model. */
  owned_by: z.string(),
  name: z.string(),
  description: z.string(),
});
export type OpenAiModel = z.infer<typeof OpenAiModel>;

export const listOpenAiModels = endpoint({
  ...OF_OPENAI,
  name: 'listOpenAiModels',
  method: 'GET',
  path: '/v1/models',
  summary: 'List agents as models',
  description:
    "Returns the active agents, as OpenAI's API lists models, by name. Up to 1,000. The embedding model comes last, if there is one.",
  answer: z.object({ object: z.literal('list'), data: z.array(OpenAiModel) }),
  answerExample: { object: 'list', data: [modelExample] },
});

export const getOpenAiModel = endpoint({
  ...OF_OPENAI,
  name: 'getOpenAiModel',
  method: 'GET',
  path: '/v1/models/{id}',
  summary: 'Retrieve an agent as a model',
  description:
    'Returns an active agent by its id, or by its name if no other active agent has it; or the embedding model by its name.',
  params: z.strictObject({ id: Model }),
  answer: OpenAiModel,
  answerExample: modelExample,
});

const Sources = z.array(TaskSource);
/** What Tallyhand adds to an answer of OpenAI's API. */
export const OpenAiTask = z.object({
  task_id: Id,
  /** The credits that the call cost. */
  credits: z.int(),
  sources: Sources,
});
export type OpenAiTask = z.infer<typeof OpenAiTask>;

export const ChatMessage = z.object(
  {
    role: ROLE,
    content: contentOf(['text']),
    tool_calls: unsupported('tool_calls', "the agent's tools are called for you"),
    function_call: unsupported('function_call', "the agent's tools are called for you"),
    audio: unsupported('audio', 'messages are text'),
  },
  { error: 'A message must be an object' },
);

const MESSAGES = `messages must be a list of 1 to ${MESSAGES_MAX} messages`;
const ONLY_TEXT = 'answers are text';
const OWN_TOOLS = 'the agent uses its own tools';

export const ChatCompletionInput = z.strictObject({
  model: Model,
  /** The last one is the request. Those before it are its context. */
  messages: z.array(ChatMessage, { error: MESSAGES }).min(1, MESSAGES).max(MESSAGES_MAX, MESSAGES),
  stream: Stream,
  stream_options: z
    .object(
      { include_usage: z.boolean({ error: 'include_usage must be true or false' }).nullish() },
      { error: 'stream_options must be an object' },
    )
    .nullish(),
  metadata: Metadata,
  n: unsupported('n', 'there is one answer', (n: unknown) => n === 1),
  tools: unsupported('tools', OWN_TOOLS),
  functions: unsupported('functions', OWN_TOOLS),
  tool_choice: unsupported('tool_choice', OWN_TOOLS, (one: unknown) =>
    ['none', 'auto'].includes(String(one)),
  ),
  function_call: unsupported('function_call', OWN_TOOLS, (one: unknown) =>
    ['none', 'auto'].includes(String(one)),
  ),
  response_format: unsupported(
    'response_format',
    ONLY_TEXT,
    ({ type }: { readonly type?: unknown }) => type === 'text',
  ),
  modalities: unsupported('modalities', ONLY_TEXT, (all: unknown) =>
    [all].flat().every((one) => one === 'text'),
  ),
  audio: unsupported('audio', ONLY_TEXT),
  logprobs: unsupported('logprobs', 'agents give none'),
  top_logprobs: unsupported('top_logprobs', 'agents give none', (n: unknown) => n === 0),
  logit_bias: unsupported('logit_bias', "the agent's settings decide"),
  stop: unsupported('stop', 'answers are given whole'),
  prediction: unsupported('prediction', 'answers are not predicted'),
  web_search_options: unsupported('web_search_options', OWN_TOOLS),
  ...ignored(
    'temperature',
    'top_p',
    'max_tokens',
    'max_completion_tokens',
    'presence_penalty',
    'frequency_penalty',
    'seed',
    'reasoning_effort',
    'verbosity',
    'parallel_tool_calls',
    'service_tier',
    'store',
    'user',
    'safety_identifier',
    'prompt_cache_key',
    'prompt_cache_retention',
  ),
});
export type ChatCompletionInput = z.infer<typeof ChatCompletionInput>;

export const ChatUsage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
});

export const ChatCompletion = z.object({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({
        role: z.literal('assistant'),
        content: z.string(),
        refusal: z.null(),
        annotations: z.array(z.unknown()),
      }),
      logprobs: z.null(),
      finish_reason: z.literal('stop'),
    }),
  ),
  usage: ChatUsage,
  metadata: z.record(z.string(), z.string()),
  tallyhand: OpenAiTask,
});
export type ChatCompletion = z.infer<typeof ChatCompletion>;

export const ChatCompletionChunk = z.object({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      delta: z.object({ role: z.literal('assistant').optional(), content: z.string().optional() }),
      logprobs: z.null(),
      finish_reason: z.literal('stop').nullable(),
    }),
  ),
  usage: ChatUsage.nullish(),
  tallyhand: OpenAiTask.optional(),
});
export type ChatCompletionChunk = z.infer<typeof ChatCompletionChunk>;

/** Why an agent gives no answer. */
const NOT_ANSWERED = [
  TaskWaits,
  NotFound,
  InsufficientCredits,
  SpendLimitReached,
  ReservationSettled,
  ReservationIsExpired,
  AgentPausedNow,
  SeveralAgents,
  TaskNotSucceeded,
];

export const createChatCompletion = endpoint({
  ...OF_OPENAI,
  name: 'createChatCompletion',
  method: 'POST',
  path: '/v1/chat/completions',
  summary: 'Create a chat completion',
  description:
    "Runs a task of the agent that `model` names, for its price, and answers as OpenAI's API does. A failed task is an error and costs nothing. With `stream: true` the answer comes as chunks. Without an `Idempotency-Key`, closing the connection cancels the task.",
  body: ChatCompletionInput,
  example: {
    model: '0193a1b2-0000-7000-8000-000000000001',
    messages: [{ role: 'user', content: 'How long can items be returned?' }],
  },
  answer: ChatCompletion,
  answerExample: chatCompletionExample,
  streamed: { chunk: ChatCompletionChunk },
  refusals: NOT_ANSWERED,
});

const INPUT = `input must be a text, or a list of 1 to ${MESSAGES_MAX} messages`;

const ResponseItem = z.object(
  {
    type: z
      .literal('message', { error: 'type must be message: the agent calls its own tools' })
      .optional(),
    role: ROLE,
    content: contentOf(['input_text', 'output_text', 'text']),
  },
  { error: INPUT },
);
const ResponseItems = z
  .array(ResponseItem, { error: INPUT })
  .min(1, INPUT)
  .max(MESSAGES_MAX, INPUT);

export const ResponseInput = z.strictObject({
  model: Model,
  input: textOr(
    z
      .string()
      .min(1, INPUT)
      .max(TASK_INPUT_MAX, `input must be at most ${TASK_INPUT_MAX} characters`),
    ResponseItems,
    (input) => (typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input),
  ).meta({ description: 'A text, or a list of messages. The last one is the request.' }),
  instructions: z
    .string({ error: 'instructions must be a text' })
    .max(TASK_INPUT_MAX, `instructions must be at most ${TASK_INPUT_MAX} characters`)
    .nullish(),
  stream: Stream,
  metadata: Metadata,
  previous_response_id: unsupported('previous_response_id', 'send the whole conversation'),
  conversation: unsupported('conversation', 'send the whole conversation'),
  background: unsupported('background', 'calls answer when the task has ended'),
  prompt: unsupported('prompt', 'the agent has its own'),
  tools: unsupported('tools', OWN_TOOLS),
  tool_choice: unsupported('tool_choice', OWN_TOOLS, (one: unknown) =>
    ['none', 'auto'].includes(String(one)),
  ),
  text: unsupported(
    'text',
    'answers have no format',
    ({ format }: { readonly format?: { readonly type?: unknown } | null }) =>
      !format || format.type === 'text',
  ),
  top_logprobs: unsupported('top_logprobs', 'agents give none', (n: unknown) => n === 0),
  ...ignored(
    'temperature',
    'top_p',
    'max_output_tokens',
    'max_tool_calls',
    'parallel_tool_calls',
    'reasoning',
    'include',
    'stream_options',
    'truncation',
    'service_tier',
    'store',
    'user',
    'safety_identifier',
    'prompt_cache_key',
    'prompt_cache_retention',
  ),
});
export type ResponseInput = z.infer<typeof ResponseInput>;

const OutputMessage = z.object({
  type: z.literal('message'),
  id: z.string(),
  status: z.enum(['in_progress', 'completed']),
  role: z.literal('assistant'),
  content: z.array(
    z.object({
      type: z.literal('output_text'),
      text: z.string(),
      annotations: z.array(z.unknown()),
    }),
  ),
});

export const OpenAiResponse = z.object({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  status: z.enum(['in_progress', 'completed', 'failed']),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.null(),
  instructions: z.string().nullable(),
  max_output_tokens: z.null(),
  metadata: z.record(z.string(), z.string()),
  model: z.string(),
  output: z.array(OutputMessage),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.null(),
  reasoning: z.object({ effort: z.null(), summary: z.null() }),
  store: z.boolean(),
  temperature: z.null(),
  text: z.object({ format: z.object({ type: z.literal('text') }) }),
  tool_choice: z.literal('auto'),
  tools: z.array(z.unknown()),
  top_p: z.null(),
  truncation: z.literal('disabled'),
  usage: z
    .object({
      input_tokens: z.int(),
      input_tokens_details: z.object({ cached_tokens: z.int() }),
      output_tokens: z.int(),
      output_tokens_details: z.object({ reasoning_tokens: z.int() }),
      total_tokens: z.int(),
    })
    .nullable(),
  /** Null until the task has ended. */
  tallyhand: OpenAiTask.nullable(),
});
export type OpenAiResponse = z.infer<typeof OpenAiResponse>;

/** An event of a response, by its type: what it has besides is as OpenAI documents it. */
export const OpenAiResponseEvent = z.object({
  type: z.string(),
  sequence_number: z.int(),
  response: OpenAiResponse.optional(),
});

export const createOpenAiResponse = endpoint({
  ...OF_OPENAI,
  name: 'createOpenAiResponse',
  method: 'POST',
  path: '/v1/responses',
  summary: 'Create a response',
  description:
    "Runs a task of the agent that `model` names, for its price, and answers as OpenAI's API does. A failed task is an error and costs nothing. With `stream: true` the answer comes as typed events. Without an `Idempotency-Key`, closing the connection cancels the task.",
  body: ResponseInput,
  example: {
    model: '0193a1b2-0000-7000-8000-000000000001',
    input: 'How long can items be returned?',
  },
  answer: OpenAiResponse,
  answerExample: openAiResponseExample,
  streamed: { event: OpenAiResponseEvent },
  refusals: NOT_ANSWERED,
});
