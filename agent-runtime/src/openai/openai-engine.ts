import { ModelSeesNoImages } from '@tallyhand/contracts/features/tasks/work-failures';
import {
  type Answer,
  type AnswerEngine,
  type AnswerRequest,
  EngineFailure,
  type ModelSource,
  type OfflineEngine,
  type OnModelCall,
  type Passage,
  type Source,
  throwIfCancelled,
} from '../engine.ts';
import { type Endpoint, inTime, type OpenAiClient, openAiClient, withoutKey } from './client.ts';
import { isApiError } from './library.ts';
import { type Asked, answerByTurns, type Budget } from './loop.ts';
import { observeModelCall } from './model-calls.ts';
import { type ModelOptions, optionsOf, partsOf } from './model-options.ts';
import { type OptionalPart, OptionalParts } from './optional-parts.ts';
import { type Prompt, promptFor } from './prompt.ts';
import { type Reply, replyJsonSchema, visibleText } from './reply.ts';
import { type Turn, turnOf, turnOfStream } from './turn.ts';

export type OpenAiConfig = Endpoint & {
  model: string;
  closestQuote: OfflineEngine['closestQuote'];
  /** For each turn of the model, including retries and pauses. */
  timeoutMs?: number;
  /** For each attempt of a turn; one that gets no answer is made again. */
  attemptMs?: number;
  /** After 429, 5xx, lost connections and late attempts, with growing waits that respect Retry-After. */
  maxRetries?: number;
  onModelCall?: OnModelCall | undefined;
  /** How the model answers; what it does not support is left out. */
  options?: ModelOptions | undefined;
  source?: ModelSource | undefined;
  /** Whether a test has found that the model takes images; others are tried. */
  takesImages?: boolean | null | undefined;
} & Budget;

/** Answers through any OpenAI-compatible endpoint by chat completions, calling tools in between. */
export function openAiEngine(config: OpenAiConfig): AnswerEngine {
  const { model, timeoutMs = 120_000, attemptMs = 60_000, maxRetries = 2, onModelCall } = config;
  const client = openAiClient(config, { timeoutMs, attemptMs, maxRetries });
  const optional = new OptionalParts();
  const mayTakeImages = config.takesImages !== false;

  const say = (asked: Asked, signal: AbortSignal): Promise<Turn> =>
    optional.send(optionalPartsOf(asked, config), isRemembered(asked), async (parts) => {
      try {
        return await sayOnce(client, config, asked, parts, signal);
      } catch (error) {
        if (asked.images === 0 || !refusesImages(error)) throw error;
        optional.refuse('image');
        throw new EngineFailure(ModelSeesNoImages({}));
      }
    });

  return {
    model,
    get seesImages() {
      return mayTakeImages && !optional.isRefused('image');
    },
    async answer(request) {
      throwIfCancelled(request.signal);
      if (!mayTakeImages && request.images?.length) throw new EngineFailure(ModelSeesNoImages({}));
      const listeners = [onModelCall, request.onModelCall];
      const turn = (asked: Asked) =>
        observeModelCall(
          { purpose: 'answer', model, source: config.source },
          listeners,
          () => inTime((signal) => say(asked, signal), timeoutMs, request.signal, config.circuit),
          ({ usage }) => usage,
        );
      const prompt = promptFor(request);
      const reply = await answerByTurns(request, prompt, turn, config);
      return answerFrom(request, reply, prompt, config);
    },
  };
}

function optionalPartsOf(
  { functions, mustCall, form, onText }: Asked,
  { options }: OpenAiConfig,
): OptionalPart[] {
  const parts = partsOf(options);
  if (onText) parts.push('usage');
  if (form === 'json') parts.push('schema');
  if (functions.count > 0) parts.push(mustCall ? 'choice' : 'tools');
  return parts;
}

/** An endpoint may refuse the tools of one request; that does not matter to the next. */
const isRemembered =
  ({ functions }: Asked) =>
  (part: OptionalPart) =>
    part !== 'tools' && (part !== 'schema' || functions.count === 0);

async function sayOnce(
  client: OpenAiClient,
  { model, options }: OpenAiConfig,
  { messages, functions, mustCall, form, onText }: Asked,
  parts: ReadonlySet<OptionalPart>,
  signal: AbortSignal,
): Promise<Turn> {
  const offersTools = functions.count > 0 && (mustCall || parts.has('tools'));
  const body = {
    model,
    messages: [...messages],
    ...optionsOf(options, parts),
    ...(form === 'json' && parts.has('schema') && { response_format: responseFormat }),
    ...(offersTools && { tools: functions.definitions }),
    ...(offersTools && parts.has('choice') && { tool_choice: 'required' as const }),
  };
  const charactersSent = lengthOf(body);
  const { completions } = (await client()).chat;
  if (!onText) {
    return turnOf(await completions.create(body, { signal }), charactersSent);
  }
  const streamed = {
    ...body,
    stream: true as const,
    ...(parts.has('usage') && { stream_options: { include_usage: true } }),
  };
  const chunks = await completions.create(streamed, { signal });
  const visible = visibleText(onText);
  const turn = await turnOfStream(chunks, charactersSent, visible.add);
  visible.end();
  return turn;
}

/** An image counts as many characters as its tokens, about a thousand, are worth. */
const IMAGE_CHARACTERS = 4_000;

const lengthOf = (body: object) =>
  JSON.stringify(body, (key, value: unknown) =>
    key === 'image_url' ? 'x'.repeat(IMAGE_CHARACTERS) : value,
  ).length;

const responseFormat = {
  type: 'json_schema' as const,
  json_schema: { name: 'answer', strict: true, schema: replyJsonSchema },
};

function answerFrom(
  { input }: AnswerRequest,
  reply: Reply,
  { passages, marker }: Prompt,
  config: OpenAiConfig,
): Answer {
  const used = reply.usedPassages.flatMap((number) => passages[number - 1] ?? []);
  // The model names passages. The quote is chosen here, so that the article always contains it.
  const text = `${input.slice(0, 1_000)}\n${reply.answer}`;
  const quoteOf = (passage: Passage) => config.closestQuote(passage, text);
  const shown = (said: string) => withoutKey(said.replaceAll(marker, ''), config);
  return {
    output: shown(reply.answer),
    reasoning: shown(reply.reasoning),
    sources: used.map((passage) => sourceOf(passage, quoteOf(passage))),
    model: config.model,
  };
}

function sourceOf(passage: Passage, quote: string): Source {
  const { articleId, articleVersion, articleTitle, ordinal, isAttachment } = passage;
  const source = { articleId, articleVersion, articleTitle, ordinal, quote };
  return isAttachment ? { ...source, isAttachment } : source;
}

/** What endpoints say of a request with images that they can't read. */
const REFUSED = /image|vision|multi-?modal|content must be a string|unknown variant/i;

/** Whether an endpoint has refused a request because of its images. */
const refusesImages = (error: unknown): boolean =>
  isApiError(error) &&
  [400, 404, 415, 422, 501].includes(error.status ?? 0) &&
  REFUSED.test(`${error.code ?? ''} ${error.param ?? ''} ${error.message}`);
