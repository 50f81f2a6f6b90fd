import type OpenAI from 'openai';
import {
  type Answer,
  type AnswerEngine,
  type AnswerRequest,
  type OfflineEngine,
  type Passage,
  type Source,
  throwIfCancelled,
} from '../engine.ts';
import { type Endpoint, inFirstWayTaken, inTime, openAiClient, withoutKey } from './client.ts';
import { type Asked, answerByTurns, type Budget } from './loop.ts';
import { type OnModelCall, observeModelCall } from './model-calls.ts';
import { promptFor } from './prompt.ts';
import { type Reply, replyJsonSchema, visibleText } from './reply.ts';
import { type Turn, turnOf, turnOfStream } from './turn.ts';

export type OpenAiConfig = Endpoint & {
  model: string;
  closestQuote: OfflineEngine['closestQuote'];
  /** For each turn of the model, including retries and pauses. */
  timeoutMs?: number;
  /** After 429, 5xx and lost connections, with growing waits that respect Retry-After. */
  maxRetries?: number;
  onModelCall?: OnModelCall | undefined;
} & Budget;

/** Features that an endpoint may not support, tried in this order until it accepts the request. */
const WAYS = [
  { schema: true, choice: true, tools: true },
  { schema: false, choice: true, tools: true },
  { schema: false, choice: false, tools: true },
  { schema: false, choice: false, tools: false },
] as const;

type Way = (typeof WAYS)[number];

/** Answers through any OpenAI-compatible endpoint by chat completions, calling tools in between. */
export function openAiEngine(config: OpenAiConfig): AnswerEngine {
  const { model, timeoutMs = 60_000, maxRetries = 2, onModelCall } = config;
  const client = openAiClient(config, { timeoutMs, maxRetries });
  /** Features that the endpoint does not support. It may refuse tools because of one of them. */
  const unknown = { schema: false, choice: false };

  async function say(asked: Asked, signal: AbortSignal): Promise<Turn> {
    const ways = WAYS.filter((way) => isOpenTo(asked, way, unknown));
    const { way, result: turn } = await inFirstWayTaken(ways, (one) =>
      sayOnce(client, { ...asked, model, way: one }, signal),
    );
    const first = ways[0] ?? way;
    const isWithTools = asked.functions.count === 0 || way.tools;
    if (isWithTools && first.schema && !way.schema) unknown.schema = true;
    if (way.tools && asked.mustCall && first.choice && !way.choice) unknown.choice = true;
    return turn;
  }

  return {
    model,
    async answer(request) {
      throwIfCancelled(request.signal);
      const turn = (asked: Asked) =>
        observeModelCall(
          { purpose: 'answer', onModelCall },
          () => inTime((signal) => say(asked, signal), timeoutMs, request.signal),
          ({ tokens }) => tokens,
        );
      const prompt = promptFor(request);
      const reply = await answerByTurns(request, prompt, turn, config);
      return answerFrom(request, reply, prompt.passages, config);
    },
  };
}

/** A schema for answers as JSON, a choice for required calls, tools if there are any. */
function isOpenTo(
  { functions, mustCall, form }: Asked,
  { schema, choice, tools }: Way,
  unknown: Readonly<Record<'schema' | 'choice', boolean>>,
): boolean {
  if (schema && (form !== 'json' || unknown.schema)) return false;
  if (functions.count === 0) return schema || !tools;
  if (mustCall) return tools && !(choice && unknown.choice);
  return choice || !tools;
}

async function sayOnce(
  client: OpenAI,
  { model, messages, functions, mustCall, form, onText, way }: Asked & { model: string; way: Way },
  signal: AbortSignal,
): Promise<Turn> {
  const offersTools = way.tools && functions.count > 0;
  const body = {
    model,
    messages: [...messages],
    ...(way.schema && form === 'json' && { response_format: responseFormat }),
    ...(offersTools && { tools: functions.definitions }),
    ...(offersTools && way.choice && mustCall && { tool_choice: 'required' as const }),
  };
  const charactersSent = JSON.stringify(body).length;
  if (!onText) {
    return turnOf(await client.chat.completions.create(body, { signal }), charactersSent);
  }
  const chunks = await client.chat.completions.create({ ...body, stream: true }, { signal });
  const visible = visibleText(onText);
  const turn = await turnOfStream(chunks, charactersSent, visible.add);
  visible.end();
  return turn;
}

const responseFormat = {
  type: 'json_schema' as const,
  json_schema: { name: 'answer', strict: true, schema: replyJsonSchema },
};

function answerFrom(
  { input }: AnswerRequest,
  reply: Reply,
  passages: Passage[],
  config: OpenAiConfig,
): Answer {
  const used = reply.usedPassages.flatMap((number) => passages[number - 1] ?? []);
  // The model names passages. The quote is chosen here, so that the article always contains it.
  const text = `${input.slice(0, 1_000)}\n${reply.answer}`;
  const quoteOf = (passage: Passage) => config.closestQuote(passage, text);
  return {
    output: withoutKey(reply.answer, config),
    reasoning: withoutKey(reply.reasoning, config),
    sources: used.map((passage) => sourceOf(passage, quoteOf(passage))),
    model: config.model,
  };
}

function sourceOf(passage: Passage, quote: string): Source {
  const { articleId, articleVersion, articleTitle, ordinal } = passage;
  return { articleId, articleVersion, articleTitle, ordinal, quote };
}
