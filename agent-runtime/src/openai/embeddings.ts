import { APIError } from 'openai';
import type { OnModelCall } from '../engine.ts';
import { type Endpoint, openAiClient } from './client.ts';
import { observeModelCall } from './model-calls.ts';
import { tokensOf } from './turn.ts';

export type EmbeddingsConfig = Endpoint & {
  model: string;
  timeoutMs?: number;
  /** Pauses between requests, after a failure and after a refusal. */
  pauseMs?: { failed: number; refused: number };
  /** Milliseconds of any clock that does not go back. */
  now?: () => number;
  onModelCall?: OnModelCall | undefined;
};

/** Turns texts into vectors: texts of similar meaning are close to each other. */
export type Embedder = {
  readonly model: string;
  /**
   * A vector of length 1 for each text, all of one dimension; at most 64 texts, and the first 6,000
   * characters of each. Null while the endpoint fails or does not support embeddings.
   */
  embed(texts: readonly string[]): Promise<Float32Array[] | null>;
};

export const EMBEDDED_TEXTS_MAX = 64;
const textLengthMax = 6_000;
const dimensionsMax = 8_192;
/** The endpoint has no embeddings, not this model, or not for this key. */
const refusals = [400, 401, 403, 404, 405, 410, 415, 422, 501];

/** Embeddings of an OpenAI-compatible endpoint. Never rejects: search works without them. */
export function openAiEmbedder(config: EmbeddingsConfig): Embedder {
  const { model, timeoutMs = 5_000, now = () => performance.now(), onModelCall } = config;
  const pauseMs = config.pauseMs ?? { failed: 60_000, refused: 3_600_000 };
  const client = openAiClient(config, { timeoutMs, maxRetries: 0 });
  let offUntil = Number.NEGATIVE_INFINITY;
  return {
    model,
    async embed(texts) {
      if (texts.length === 0) return [];
      if (texts.length > EMBEDDED_TEXTS_MAX) throw new RangeError('Too many texts at once');
      if (now() < offUntil) return null;
      try {
        const input = texts.map((text) => text.slice(0, textLengthMax).toWellFormed());
        const signal = AbortSignal.timeout(timeoutMs);
        const body = { model, input, encoding_format: 'float' as const };
        const { vectors } = await observeModelCall(
          { purpose: 'embed', model },
          [onModelCall],
          async () => {
            const { data, usage } = await client.embeddings.create(body, { signal });
            return { vectors: vectorsOf(data, texts.length), tokens: usage?.prompt_tokens };
          },
          ({ tokens }) => usageOf(tokens, input),
        );
        return vectors;
      } catch (error) {
        const refused = error instanceof APIError && refusals.includes(error.status ?? 0);
        offUntil = now() + (refused ? pauseMs.refused : pauseMs.failed);
        return null;
      }
    },
  };
}

const usageOf = (tokens: number | undefined, input: readonly string[]) => ({
  inputTokens: tokens ?? tokensOf(input.reduce((sum, text) => sum + text.length, 0)),
  cachedTokens: 0,
  outputTokens: 0,
  isEstimated: tokens === undefined,
});

/** Checks the endpoint's vectors, and sorts them in the order of the texts. */
function vectorsOf(data: readonly { index: number; embedding: number[] }[], count: number) {
  const vectors: Float32Array[] = [];
  for (const { index, embedding } of data) vectors[index] = unitVector(embedding);
  const dimensions = vectors[0]?.length ?? 0;
  if (dimensions === 0 || dimensions > dimensionsMax || vectors.length !== count) {
    throw new TypeError('The endpoint sent no vectors');
  }
  for (let at = 0; at < count; at += 1) {
    if (vectors[at]?.length !== dimensions) throw new TypeError('A vector is missing');
  }
  return vectors;
}

function unitVector(numbers: number[]): Float32Array {
  const length = Math.hypot(...numbers);
  if (!Number.isFinite(length) || length === 0) throw new TypeError('A vector has no direction');
  return Float32Array.from(numbers, (number) => number / length);
}
