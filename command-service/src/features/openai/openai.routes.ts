import type { Embedder } from '@tallyhand/agent-runtime/openai/embeddings';
import { AgentPausedNow } from '@tallyhand/contracts/features/agents/agents.refusals';
import {
  createEmbeddings,
  type Embeddings,
  type EmbeddingsInput,
} from '@tallyhand/contracts/features/openai/embeddings.endpoints';
import {
  type ChatCompletion,
  type ChatCompletionInput,
  createChatCompletion,
  createOpenAiResponse,
  type OpenAiResponse,
  type ResponseInput,
} from '@tallyhand/contracts/features/openai/openai.endpoints';
import {
  EmbeddingFailed,
  ModelNotFound,
  NoEmbeddingModel,
  SeveralAgents,
} from '@tallyhand/contracts/features/openai/openai.refusals';
import { Id } from '@tallyhand/contracts/kernel/ids';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { Position } from '@tallyhand/service-kit/event-store/position';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Caller, Kit } from '../../kit/app.ts';
import { closeSignal, newestKnown } from '../../kit/caller.ts';
import { idFor } from '../../kit/context.ts';
import { type MemberCall, route } from '../../kit/route.ts';
import { type Answered, answeredOrRefused, type RunTask } from './answered.ts';
import { chunksOf, completionOf } from './chat-completion.ts';
import { conversationOf, type Message } from './conversation.ts';
import { embeddingStream } from './embedding.decider.ts';
import { embeddingsOf, embedTexts } from './embeddings.ts';
import { responseEventsOf, responseOf } from './response.ts';

const READ_MODELS_WAIT_MS = 2_000;

type Wanted = {
  readonly agentId: string;
  readonly type: 'query';
  readonly input: string;
  readonly context?: string;
  readonly metadata?: Readonly<Record<string, string>>;
};

type TaskCall = Pick<MemberCall<unknown, unknown>, 'caller' | 'context' | 'request' | 'events'> & {
  readonly onAccepted: (task: { readonly taskId: string; readonly price: number }) => void;
  readonly left: AbortSignal | undefined;
};

export type OpenAiContext = {
  readonly kit: Kit;
  /** Runs a task like any other. */
  readonly runToEnd: (wanted: Wanted, call: TaskCall) => Promise<RunTask | Refusal>;
  /** Null without an embedding model; a sentence where it can't be called. */
  readonly embeddingModelOf: (
    organizationId: string,
    since: Position,
  ) => Promise<EmbeddingModel | Sentence | null>;
  /** Refuses a call once the tokens of the month are used up. */
  readonly overBudget: (organizationId: string) => Promise<Refusal | null>;
};

type EmbeddingModel = { readonly model: string; readonly forCalls: Embedder };

/** Agents behind OpenAI's API. */
export function openAiRoutes(app: FastifyInstance, context: OpenAiContext) {
  const { kit } = context;

  const ofCompletion = {
    what: 'agent',
    streamFormat: (body: unknown) => {
      const input = body as ChatCompletionInput;
      return input.stream ? chunksOf(input, new Date()) : null;
    },
    answerHeaders: (answer: unknown) => headersOf((answer as ChatCompletion).tallyhand),
  };
  route(app, kit, createChatCompletion, ofCompletion, async (call) => {
    const { model, messages, metadata } = call.body;
    const answered = await answer(context, call, { model, messages, metadata }, 'messages');
    return isRefusal(answered) ? answered : completionOf(answered, call.body);
  });

  const ofResponse = {
    what: 'agent',
    streamFormat: (body: unknown) => {
      const input = body as ResponseInput;
      return input.stream ? responseEventsOf(input, new Date()) : null;
    },
    answerHeaders: (answer: unknown) => {
      const { tallyhand } = answer as OpenAiResponse;
      return tallyhand ? headersOf(tallyhand) : {};
    },
  };
  route(app, kit, createOpenAiResponse, ofResponse, async (call) => {
    const { model, input, instructions, metadata } = call.body;
    const answered = await answer(
      context,
      call,
      { model, messages: input, instructions, metadata },
      'input',
    );
    return isRefusal(answered) ? answered : responseOf(answered, call.body);
  });

  const ofEmbeddings = { what: 'model', queue: kit.queues.embeddings };
  route(app, kit, createEmbeddings, ofEmbeddings, (call) => embed(context, call));
}

async function embed(
  { kit, embeddingModelOf, overBudget }: OpenAiContext,
  { caller, context, request, reply, body }: MemberCall<unknown, EmbeddingsInput>,
): Promise<Embeddings | Refusal> {
  const { organizationId, userId: requestedBy } = caller;
  const since = newestKnown(kit, request);
  const found = await embeddingModelOf(organizationId, since);
  if (!found) return NoEmbeddingModel({});
  if (!('forCalls' in found)) return notEmbedded(found);
  if (found.model !== body.model)
    return ModelNotFound({ model: body.model, available: found.model });
  await kit.readPosition.reached(since, READ_MODELS_WAIT_MS);
  const refused = await overBudget(organizationId);
  if (refused) return refused;
  const { failure, ...embedded } = await embedTexts(found.forCalls, body, closeSignal(reply));
  if (embedded.usage.length > 0) {
    const embeddingId = idFor(context, 'embedding');
    const texts = embedded.vectors.length;
    const data = { embeddingId, organizationId, requestedBy, texts, usage: [...embedded.usage] };
    const command = { type: 'RecordEmbedding', data } as const;
    // Before the answer: what a caller has received is always counted.
    await kit.streams.of(embeddingStream).send(embeddingId, command, context);
  }
  return failure ? notEmbedded(failure) : embeddingsOf(embedded, body);
}

const notEmbedded = ({ code: cause, params: causeParams, text }: Sentence) =>
  EmbeddingFailed({ cause, causeParams, sentence: text });

type Asked = {
  readonly model: string;
  readonly messages: readonly Message[];
  /** Beside the messages. */
  readonly instructions?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
};

/** `field`: that of the messages in the body. */
async function answer(
  { kit, runToEnd }: OpenAiContext,
  { caller, context, request, events, reply }: MemberCall<unknown, unknown>,
  { model, messages, instructions, metadata }: Asked,
  field: string,
): Promise<Answered | Refusal> {
  const conversation = conversationOf(messages, field, instructions ?? '');
  if (isRefusal(conversation)) return conversation;
  await kit.readPosition.reached(newestKnown(kit, request), READ_MODELS_WAIT_MS);
  const agentId = await agentOf(kit, caller, model);
  if (isRefusal(agentId)) return agentId;
  // A repeat with the same key comes for the answer.
  const left = context.isFirst ? closeSignal(reply) : undefined;
  const task = await runToEnd(
    { ...conversation, agentId, type: 'query', ...(metadata ? { metadata } : {}) },
    {
      caller,
      context,
      request,
      events,
      left,
      onAccepted: (accepted) => announce(reply, accepted),
    },
  );
  if (isRefusal(task)) return task;
  const answered = answeredOrRefused(task);
  if (isRefusal(answered)) announce(reply, { taskId: task.taskId, price: 0 });
  return answered;
}

/** Before a stream begins: its headers can't follow from the answer. */
function announce(reply: FastifyReply, task: { taskId: string; price: number }) {
  if (!reply.raw.headersSent)
    reply.headers(headersOf({ task_id: task.taskId, credits: task.price }));
}

const headersOf = (task: { readonly task_id: string; readonly credits: number }) => ({
  'tallyhand-task-id': task.task_id,
  'tallyhand-credits': String(task.credits),
});

/** The agent with this id, or the only active one with this name. */
async function agentOf(
  { pool }: Kit,
  { organizationId }: Caller,
  model: string,
): Promise<string | Refusal> {
  if (Id.safeParse(model).success) return model;
  const { rows } = await inTenant(pool, organizationId, (client) =>
    client.query<{ id: string; isActive: boolean }>(
      `select agent_id as id, is_active as "isActive" from read_model.agents
       where organization_id = $1 and name = $2 and deleted_at is null
       order by is_active desc limit 2`,
      [organizationId, model],
    ),
  );
  const [first, second] = rows;
  if (!first) return NotFound({ what: 'agent' });
  if (!first.isActive) return AgentPausedNow({});
  return second?.isActive ? SeveralAgents({ name: model }) : first.id;
}
