import OpenAI, { APIError } from 'openai';
import { closestQuote } from '../built-in/evidence.ts';
import {
  type Answer,
  type AnswerEngine,
  type AnswerRequest,
  EngineFailure,
  type Passage,
  type Source,
  throwIfCancelled,
} from '../engine.ts';
import { failureFrom, timedOut } from './failures.ts';
import { limitedFetch } from './limited-fetch.ts';
import { type Prompt, promptFor } from './prompt.ts';
import { type Reply, replyFrom, replyJsonSchema } from './reply.ts';

export type OpenAiConfig = {
  apiKey: string;
  /** Without it OpenAI's own address. */
  baseURL?: string | undefined;
  model: string;
  /** For the whole answer, retries and the waits between them included. */
  timeoutMs?: number;
  /** After 429, 5xx and lost connections, with growing waits that respect Retry-After. */
  maxRetries?: number;
};

const openAiAddress = 'https://api.openai.com/v1';

/** Answers through any OpenAI-compatible endpoint by chat completions. */
export function openAiEngine(config: OpenAiConfig): AnswerEngine {
  const { apiKey, model, timeoutMs = 60_000, maxRetries = 2 } = config;
  // Everything is passed: what is left out the client would read from the environment.
  const client = new OpenAI({
    apiKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: config.baseURL ?? openAiAddress,
    timeout: timeoutMs,
    maxRetries,
    fetch: limitedFetch,
    logLevel: 'off',
  });
  let takesSchema = true;

  async function complete(prompt: Prompt, signal: AbortSignal): Promise<unknown> {
    if (!takesSchema)
      return await client.chat.completions.create(plainBody(model, prompt), { signal });
    try {
      const body = { ...plainBody(model, prompt), response_format: responseFormat };
      return await client.chat.completions.create(body, { signal });
    } catch (error) {
      if (!refusesBody(error)) throw error;
      // Not every endpoint knows structured outputs; one that answers without them is not asked
      // again.
      const completion = await client.chat.completions.create(plainBody(model, prompt), { signal });
      takesSchema = false;
      return completion;
    }
  }

  return {
    model,
    async answer(request) {
      throwIfCancelled(request.signal);
      const deadline = AbortSignal.timeout(timeoutMs);
      const prompt = promptFor(request);
      try {
        const either = AbortSignal.any([request.signal, deadline]);
        const completion = await orAborted(complete(prompt, either), either);
        const reply = replyFrom(completion, prompt.passages.length);
        return answerFrom(request, reply, prompt.passages, config);
      } catch (error) {
        throwIfCancelled(request.signal);
        throw deadline.aborted && !(error instanceof EngineFailure)
          ? timedOut()
          : failureFrom(error);
      }
    },
  };
}

const responseFormat = {
  type: 'json_schema' as const,
  json_schema: { name: 'answer', strict: true, schema: replyJsonSchema },
};

function plainBody(model: string, prompt: Prompt) {
  const messages = [
    { role: 'system' as const, content: prompt.system },
    { role: 'user' as const, content: prompt.user },
  ];
  return { model, messages };
}

function refusesBody(error: unknown): boolean {
  return error instanceof APIError && [400, 415, 422, 501].includes(error.status ?? 0);
}

/** Ends with the signal even where the client would still wait. */
async function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
    // When the signal wins, the client's own rejection comes later and belongs to nobody.
    work.catch(() => undefined);
  }
}

function answerFrom(
  { input }: AnswerRequest,
  reply: Reply,
  passages: Passage[],
  { apiKey, model }: OpenAiConfig,
): Answer {
  const withoutKey = (text: string) =>
    apiKey.length < 8 ? text : text.replaceAll(apiKey, '[removed]');
  const used = reply.usedPassages.flatMap((number) => passages[number - 1] ?? []);
  return {
    output: withoutKey(reply.answer),
    reasoning: withoutKey(reply.reasoning),
    sources: used.map((passage) => sourceOf(passage, `${input.slice(0, 1_000)}\n${reply.answer}`)),
    model,
  };
}

/** The model names passages; the quote is chosen here, so that it always stands in the article. */
function sourceOf(passage: Passage, text: string): Source {
  const { articleId, articleVersion, articleTitle, ordinal } = passage;
  return { articleId, articleVersion, articleTitle, ordinal, quote: closestQuote(passage, text) };
}
