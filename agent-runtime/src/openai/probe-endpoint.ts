import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type OpenAI from 'openai';
import { EngineFailure } from '../engine.ts';
import { withDeadline } from '../with-deadline.ts';
import { type Endpoint, inTime, openAiClient } from './client.ts';
import { isApiError } from './library.ts';
import { replyJsonSchema } from './reply.ts';

/** What an endpoint can do; null if it was not tried, or could not be found out. */
export type Abilities = {
  readonly streaming: boolean | null;
  readonly tools: boolean | null;
  readonly jsonSchema: boolean | null;
  readonly images: boolean | null;
  readonly embeddings: boolean | null;
};

export type Probed = {
  /** Why the first call failed; then nothing else was tried. */
  readonly failure: Sentence | null;
  readonly latencyMs: number;
  readonly abilities: Abilities;
};

const TIMEOUT_MS = 20_000;
const MODELS_MAX = 200;
const UNTRIED: Abilities = {
  streaming: null,
  tools: null,
  jsonSchema: null,
  images: null,
  embeddings: null,
};

const question = { role: 'user' as const, content: 'Reply with the word OK.' };
/** A white square of 32 × 32 points: several endpoints refuse smaller images. */
const SQUARE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJklEQVR42u3NMQ0AAAwDoPo33arYsQQMkB6LQCAQCAQCgUAg+BIMi1X0ptsIcT0AAAAASUVORK5CYII=';

/** Makes real calls with a model, and then finds out what the endpoint supports. */
export async function probeEndpoint(
  endpoint: Endpoint,
  { model, embeddingModel }: { readonly model: string; readonly embeddingModel: string | null },
  signal: AbortSignal,
): Promise<Probed> {
  const client = await openAiClient(endpoint, { timeoutMs: TIMEOUT_MS, maxRetries: 0 })();
  const chat = (more: object) =>
    inTime(
      (either) =>
        client.chat.completions.create(
          { model, messages: [question], ...more } as OpenAI.ChatCompletionCreateParamsNonStreaming,
          { signal: either },
        ),
      TIMEOUT_MS,
      signal,
    );
  const started = performance.now();
  try {
    await chat({});
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return { failure: error.sentence, latencyMs: since(started), abilities: UNTRIED };
  }
  const latencyMs = since(started);
  const [streaming, tools, jsonSchema, images, embeddings] = await Promise.all([
    supported(() => streamed(client, model, signal)),
    supported(() => chat({ tools: [tool], tool_choice: 'required' })),
    supported(() => chat({ response_format: answerFormat })),
    supported(() => chat({ messages: [withImage] })),
    embeddingModel === null
      ? null
      : supported(() =>
          client.embeddings.create({ model: embeddingModel, input: 'OK' }, { signal }),
        ),
  ]);
  return {
    failure: null,
    latencyMs,
    abilities: { streaming, tools, jsonSchema, images, embeddings },
  };
}

/** The names of the endpoint's models in alphabetical order. Rejects only with failures. */
export function modelsOfEndpoint(endpoint: Endpoint, signal: AbortSignal): Promise<string[]> {
  const client = openAiClient(endpoint, { timeoutMs: TIMEOUT_MS, maxRetries: 0 });
  return inTime(
    async (either) => {
      const { models } = await client();
      const { data } = await models.list({ signal: either });
      const names = data.flatMap(({ id }) => (typeof id === 'string' && id !== '' ? [id] : []));
      // Gemini's endpoint writes `models/…`, and accepts both.
      const short = names.map((name) => name.replace(/^models\//, '').slice(0, 200));
      return [...new Set(short)].toSorted().slice(0, MODELS_MAX);
    },
    TIMEOUT_MS,
    signal,
  );
}

const since = (started: number) => Math.round(performance.now() - started);

/** False if the endpoint refuses the request; null if the call fails otherwise. */
async function supported(call: () => Promise<unknown>): Promise<boolean | null> {
  try {
    await call();
    return true;
  } catch (error) {
    if (isApiError(error)) return refuses(error.status) ? false : null;
    const { status } = error instanceof EngineFailure ? error.sentence.params : {};
    return refuses(status) ? false : null;
  }
}

const refuses = (status: unknown) =>
  typeof status === 'number' && [400, 404, 405, 415, 422, 501].includes(status);

async function streamed(client: OpenAI, model: string, signal: AbortSignal) {
  const body = { model, messages: [question], stream: true as const };
  const either = withDeadline(signal, TIMEOUT_MS);
  const chunks = await client.chat.completions.create(body, { signal: either });
  let count = 0;
  for await (const _ of chunks) count += 1;
  if (count === 0) throw new TypeError('The stream was empty');
}

const tool = {
  type: 'function',
  function: {
    name: 'say_ok',
    description: 'Says that all is well.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
  },
};
const answerFormat = {
  type: 'json_schema',
  json_schema: { name: 'answer', strict: true, schema: replyJsonSchema },
};
const withImage = {
  role: 'user',
  content: [
    { type: 'text', text: question.content },
    { type: 'image_url', image_url: { url: SQUARE } },
  ],
};
