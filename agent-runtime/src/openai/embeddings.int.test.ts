import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelCall } from '../engine.ts';
import { type Embedder, openAiEmbedder } from './embeddings.ts';
import { type EmbeddingsPeer, embeddingsPeer } from './fixtures/embeddings-peer.ts';

let peer: EmbeddingsPeer;
let embedder: Embedder;
let now = 0;

beforeEach(async () => {
  peer = await embeddingsPeer((text) => [text.length, 0, 4]);
  const pauseMs = { failed: 1_000, refused: 60_000 };
  const { baseURL } = peer;
  embedder = openAiEmbedder({
    apiKey: 'key of the test',
    baseURL,
    model: 'peer',
    pauseMs,
    // A busy machine must not count as a failing endpoint.
    timeoutMs: 60_000,
    now: () => now,
  });
});
afterEach(() => peer[Symbol.asyncDispose]());

describe('openAiEmbedder', () => {
  it('returns vectors of length 1 in the order of the texts', async () => {
    const { vectors } = await embedder.embed(['abc', '']);
    expect(vectors?.map((vector) => [...vector])).toEqual([
      [expect.closeTo(0.6), 0, expect.closeTo(0.8)],
      [0, 0, 1],
    ]);
  });

  it('sends no request for no texts', async () => {
    expect(await embedder.embed([])).toMatchObject({ vectors: [] });
    expect(peer.asked).toEqual([]);
  });

  it('accepts lone surrogates and long texts, truncated', async () => {
    await embedder.embed(['\ud800', 'x'.repeat(100_000)]);
    expect(peer.asked[0]?.map((text) => text.length)).toEqual([1, 6_000]);
  });

  it.each([
    ['an endpoint without embeddings', { status: 404 }, 60_000, 'model-rejected'],
    ['a failing endpoint', { status: 500 }, 1_000, 'model-unavailable'],
    ['garbage', { status: 200, body: '<html>' }, 1_000, 'model-output-invalid'],
    ['no vectors', { status: 200, body: '{"data":[]}' }, 1_000, 'model-output-invalid'],
    [
      'a vector of nothing',
      { status: 200, body: '{"data":[{"index":0,"embedding":[0,0]}]}' },
      1_000,
      'model-output-invalid',
    ],
  ])('leaves %s alone for a while', async (_, failing, pause, code) => {
    peer.failing = failing;
    const failure = { vectors: null, failure: { code } };
    expect(await embedder.embed(['a'])).toMatchObject({ ...failure, isPaused: false });
    peer.failing = null;
    now += pause - 1;
    expect(await embedder.embed(['a'])).toMatchObject({ ...failure, isPaused: true });
    expect(peer.asked).toHaveLength(1);
    now += 1;
    expect((await embedder.embed(['a'])).vectors).toHaveLength(1);
  });

  it('estimates the tokens that an endpoint does not count', async () => {
    expect(await embedder.embed(['x'.repeat(400)])).toMatchObject({
      usage: { inputTokens: 100, isEstimated: true },
    });
    peer.usage = { prompt_tokens: 7, total_tokens: 7 };
    expect(await embedder.embed(['x'.repeat(400)])).toMatchObject({
      usage: { inputTokens: 7, isEstimated: false },
    });
  });

  it('asks for dimensions, and fails if the endpoint ignores them', async () => {
    const asked = await embedder.embed(['a'], undefined, { dimensions: 3 });
    expect(asked.vectors?.[0]).toHaveLength(3);
    expect(await embedder.embed(['a'], undefined, { dimensions: 2 })).toMatchObject({
      vectors: null,
      failure: { code: 'model-output-invalid' },
    });
  });

  it('reports each call with its cost to the caller that asked', async () => {
    peer.usage = { prompt_tokens: 7, total_tokens: 7 };
    const calls: ModelCall[] = [];
    const source = { connectionId: null, costOf: async () => 5 };
    const config = { apiKey: 'k', baseURL: peer.baseURL, model: 'm', source, textLengthMax: 9_000 };
    const own = openAiEmbedder(config);
    const onModelCall = (call: ModelCall) => calls.push(call);
    await own.embed(['x'.repeat(10_000)], undefined, { onModelCall });
    await own.embed(['a']);
    expect(calls).toMatchObject([
      { outcome: 'answered', costMicros: 5, usage: { inputTokens: 7 } },
    ]);
    expect(peer.asked.at(-2)?.[0]).toHaveLength(9_000);
  });

  it('is aborted with the caller, which counts as no failure', async () => {
    const leaving = new AbortController();
    const asking = embedder.embed(['a'], leaving.signal);
    leaving.abort();
    await expect(asking).rejects.toThrow();
    expect((await embedder.embed(['a'])).vectors).toHaveLength(1);
  });

  it('does without an endpoint that is not there', async () => {
    const unreachable = openAiEmbedder({
      apiKey: 'k',
      baseURL: 'http://127.0.0.1:9/v1',
      model: 'm',
    });
    expect(await unreachable.embed(['a'])).toMatchObject({
      failure: { code: 'model-unavailable' },
    });
  });
});
