import { EMBEDDED_TEXTS_MAX, type Embedder } from '@tallyhand/agent-runtime/openai/embeddings';
import { ModelDown, ModelTimedOut } from '@tallyhand/contracts/features/tasks/work-failures';
import { describe, expect, it } from 'vitest';
import { embeddingsOf, embedTexts } from './embeddings.ts';

const NEVER = new AbortController().signal;
const usage = { inputTokens: 7, cachedTokens: 0, outputTokens: 0, isEstimated: false };
const call = { purpose: 'embed', model: 'meaning', outcome: 'answered', seconds: 0.01 } as const;

/** Answers so many requests, and fails then. */
function embedderOf(answeredMax: number, onFailing = () => {}) {
  const asked: number[] = [];
  const embedder: Embedder = {
    model: 'meaning',
    async embed(texts, signal, { onModelCall } = {}) {
      asked.push(texts.length);
      if (asked.length > answeredMax) {
        onFailing();
        signal?.throwIfAborted();
        return { vectors: null, failure: ModelDown({ status: 503 }), isPaused: false };
      }
      onModelCall?.({ ...call, usage, connectionId: null, costMicros: 2 });
      return { vectors: texts.map((text) => Float32Array.of(Number(text))), usage, failure: null };
    },
  };
  return { asked, embedder };
}

const textsOf = (count: number) => Array.from({ length: count }, (_, at) => String(at));

describe('embedding the texts of a call', () => {
  it('makes as many requests as needed, and keeps the order', async () => {
    const { asked, embedder } = embedderOf(3);
    const input = textsOf(EMBEDDED_TEXTS_MAX * 2 + 1);
    const { vectors, usage: used, failure } = await embedTexts(embedder, { input }, NEVER);
    expect(asked).toEqual([EMBEDDED_TEXTS_MAX, EMBEDDED_TEXTS_MAX, 1]);
    expect(vectors.map(([first]) => String(first))).toEqual(input);
    expect(failure).toBeNull();
    expect(used).toMatchObject([{ model: 'meaning', calls: 3, inputTokens: 21, costMicros: 6 }]);
  });

  it('ends with the first failure, and still reports what was used', async () => {
    const { asked, embedder } = embedderOf(1);
    const input = textsOf(EMBEDDED_TEXTS_MAX * 3);
    const ended = await embedTexts(embedder, { input }, NEVER);
    expect(asked).toHaveLength(2);
    expect(ended.failure).toEqual(ModelDown({ status: 503 }));
    expect(ended.vectors).toHaveLength(EMBEDDED_TEXTS_MAX);
    expect(ended.usage).toMatchObject([{ calls: 1, inputTokens: 7 }]);
  });

  it('ends when the caller leaves, and still reports what was used', async () => {
    const leaving = new AbortController();
    const { embedder } = embedderOf(1, () => leaving.abort());
    const input = textsOf(EMBEDDED_TEXTS_MAX * 3);
    const ended = await embedTexts(embedder, { input }, leaving.signal);
    expect(ended.failure).toEqual(ModelTimedOut({}));
    expect(ended.usage).toMatchObject([{ calls: 1 }]);
  });
});

describe('the answer', () => {
  const vector = Float32Array.of(0.6, -0.8, 1 / 3);
  const used = [
    { ...usage, connectionId: null, model: 'm', calls: 1, latencyMs: 1, costMicros: 0 },
  ];
  const answerIn = (encoding_format: 'float' | 'base64' | null) =>
    embeddingsOf({ vectors: [vector], usage: used }, { model: 'm', encoding_format });

  it('has floats that are those of the vector, and the tokens', () => {
    const { data, ...rest } = answerIn(null);
    expect(rest).toEqual({
      object: 'list',
      model: 'm',
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
    expect(Float32Array.from(data[0]?.embedding as number[])).toEqual(vector);
    expect(answerIn('float').data).toEqual(data);
  });

  it('has the bytes of 32-bit floats as base64', () => {
    const text = String(answerIn('base64').data[0]?.embedding);
    const bytes = new DataView(Uint8Array.from(Buffer.from(text, 'base64')).buffer);
    expect([0, 4, 8].map((at) => bytes.getFloat32(at, true))).toEqual([...vector]);
    expect(bytes.byteLength).toBe(12);
  });
});
