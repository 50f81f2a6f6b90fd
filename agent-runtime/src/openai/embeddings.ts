import type { TokenUsage } from '@tallyhand/contracts/features/models/model-usage';
import { EMBEDDING_DIMENSIONS_MAX } from '@tallyhand/contracts/features/openai/openai.fields';
import { ModelAnswerUnreadable } from '@tallyhand/contracts/features/tasks/work-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import { EngineFailure, type ModelSource, type OnModelCall } from '../engine.ts';
import { type Endpoint, inTime, openAiClient } from './client.ts';
import { isApiError } from './library.ts';
import { failureFrom, observeModelCall } from './model-calls.ts';
import { Count, tokensOf } from './turn.ts';

export type EmbeddingsConfig = Endpoint & {
  model: string;
  timeoutMs?: number;
  /** How many characters of a text are sent; by default 6,000. */
  textLengthMax?: number;
  /** Without it, calls have no cost. */
  source?: ModelSource | undefined;
  /** Pauses between requests, after a failure and after a refusal. */
  pauseMs?: { failed: number; refused: number };
  /** Milliseconds of any clock that does not go back. */
  now?: () => number;
  onModelCall?: OnModelCall | undefined;
};

/** `isPaused`: the endpoint was not called, because it failed a short time ago. */
type Embedded =
  | { readonly vectors: Float32Array[]; readonly usage: TokenUsage; readonly failure: null }
  | { readonly vectors: null; readonly failure: Sentence; readonly isPaused: boolean };

/** Turns texts into vectors: texts of similar meaning are close to each other. */
export type Embedder = {
  readonly model: string;
  /**
   * A vector of length 1 for each text, all of one dimension; at most 32 texts, and the first
   * characters of each. Rejects only if the signal aborts.
   */
  embed(texts: readonly string[], signal?: AbortSignal, options?: EmbedOptions): Promise<Embedded>;
};

type EmbedOptions = {
  /** How many dimensions the vectors must have; the model decides by default. */
  readonly dimensions?: number | undefined;
  /** Receives the call when it has ended. */
  readonly onModelCall?: OnModelCall | undefined;
};

/** The vectors of so many texts fit into an answer that is read, also with thousands of dimensions. */
export const EMBEDDED_TEXTS_MAX = 32;
const ARTICLE_PASSAGE_MAX = 6_000;
/** The endpoint has no embeddings, not this model, or not for this key. */
const refusals = [400, 401, 403, 404, 405, 410, 415, 422, 501];

const NO_USAGE = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, isEstimated: false };
const NEVER = new AbortController().signal;

/** Embeddings of an OpenAI-compatible endpoint. */
export function openAiEmbedder(config: EmbeddingsConfig): Embedder {
  const { model, timeoutMs = 5_000, now = () => performance.now(), onModelCall, source } = config;
  const { textLengthMax = ARTICLE_PASSAGE_MAX, circuit } = config;
  const pauseMs = config.pauseMs ?? { failed: 60_000, refused: 600_000 };
  const client = openAiClient(config, { timeoutMs, maxRetries: 0 });
  let pause: { readonly until: number; readonly failure: Sentence } | null = null;
  return {
    model,
    async embed(texts, signal = NEVER, { dimensions, onModelCall: onThisCall } = {}) {
      if (texts.length === 0) return { vectors: [], usage: NO_USAGE, failure: null };
      if (texts.length > EMBEDDED_TEXTS_MAX) throw new RangeError('Too many texts at once');
      if (pause && now() < pause.until)
        return { vectors: null, failure: pause.failure, isPaused: true };
      const input = texts.map((text) => text.slice(0, textLengthMax).toWellFormed());
      const asked = dimensions === undefined ? {} : { dimensions };
      const body = { model, input, encoding_format: 'float' as const, ...asked };
      let status: number | undefined;
      try {
        const { vectors, usage } = await observeModelCall(
          { purpose: 'embed', model, source },
          [onModelCall, onThisCall],
          () =>
            inTime(
              async (either) => {
                const { embeddings } = await client();
                const answer = embeddings.create(body, { signal: either });
                const { data, usage } = await answer.catch((error) => {
                  if (isApiError(error)) ({ status } = error);
                  throw error;
                });
                const tokens = Count.parse(usage?.prompt_tokens);
                const vectors = vectorsOf(data, texts.length, dimensions);
                return { vectors, usage: usageOf(tokens, input) };
              },
              timeoutMs,
              signal,
              circuit,
            ),
          ({ usage }) => usage,
        );
        return { vectors, usage, failure: null };
      } catch (error) {
        signal.throwIfAborted();
        const failure = failureFrom(error).sentence;
        const pausedMs = refusals.includes(status ?? 0) ? pauseMs.refused : pauseMs.failed;
        pause = { until: now() + pausedMs, failure };
        return { vectors: null, failure, isPaused: false };
      }
    },
  };
}

const usageOf = (tokens: number | undefined | null, input: readonly string[]) => ({
  ...NO_USAGE,
  inputTokens: tokens ?? tokensOf(input.reduce((sum, text) => sum + text.length, 0)),
  isEstimated: typeof tokens !== 'number',
});

/** Checks the endpoint's vectors, and sorts them in the order of the texts. */
function vectorsOf(
  data: readonly { index: number; embedding: number[] }[],
  count: number,
  asked: number | undefined,
) {
  if (!Array.isArray(data)) throw unreadable();
  const vectors: Float32Array[] = [];
  for (const { index, embedding } of data) vectors[index] = unitVector(embedding);
  const dimensions = vectors[0]?.length ?? 0;
  const isPossible = dimensions > 0 && dimensions <= EMBEDDING_DIMENSIONS_MAX;
  if (!isPossible || vectors.length !== count) throw unreadable();
  // An endpoint may ignore the parameter.
  if (asked !== undefined && dimensions !== asked) throw unreadable();
  for (let at = 0; at < count; at += 1) {
    if (vectors[at]?.length !== dimensions) throw unreadable();
  }
  return vectors;
}

const unreadable = () => new EngineFailure(ModelAnswerUnreadable({}));

function unitVector(numbers: number[]): Float32Array {
  const length = Math.hypot(...numbers);
  if (!Number.isFinite(length) || length === 0) throw unreadable();
  return Float32Array.from(numbers, (number) => number / length);
}
