import { describe, expect, it } from 'vitest';
import {
  askProvider,
  cities,
  counted,
  countedUsage,
  twoCalls,
  usageChunk,
  weather,
} from './fixtures/ask-provider.ts';
import { completion, openAiPeer, StreamedCompletion, sendJson } from './fixtures/openai-peer.ts';
import { wrongInStrict } from './fixtures/strict-schema.ts';
import { modelsOfEndpoint, probeEndpoint } from './probe-endpoint.ts';

describe.each(['ollama', 'vllm'] as const)('%s', (id) => {
  it('streams thoughts beside the answer, and its usage in a chunk without choices', async () => {
    const pieces: string[] = [];
    const field = id === 'ollama' ? 'reasoning' : 'reasoning_content';
    const { outcome, usages } = await askProvider(
      id,
      (response) => {
        const stream = new StreamedCompletion(response)
          .send({ role: 'assistant', content: '' })
          .send({ content: '', [field]: 'Hm.' })
          .say('Sent', '.')
          .send({ content: '' }, 'stop');
        stream.raw(usageChunk(counted));
        stream.raw('data: [DONE]\n\n', true);
      },
      { onText: (piece) => void pieces.push(piece) },
    );
    expect(outcome).toMatchObject({ value: { output: 'Sent.' } });
    expect(pieces.join('')).toBe('Sent.');
    expect(usages).toEqual([countedUsage]);
  });
});

describe('Ollama', () => {
  it.each([
    ['with ids', true],
    ['without ids', false],
  ])('sends each call whole, all under one index, %s', async (_, hasIds) => {
    const { tool, asked, name } = weather();
    const call = (city: string) => ({
      index: 0,
      ...(hasIds && { id: `call_${city}` }),
      function: { name, arguments: JSON.stringify({ city }) },
    });
    const { outcome } = await askProvider('ollama', twoCalls(call), {
      tools: [tool],
      onText: () => {},
    });
    expect(outcome).toMatchObject({ value: { output: 'Sunny.' } });
    expect(asked).toEqual(cities);
  });
});

describe('vLLM', () => {
  it('sends errors without a field error: a request that is too long is named', async () => {
    const message = "This model's maximum context length is 4096 tokens.";
    const { outcome, bodies } = await askProvider('vllm', (response) =>
      sendJson(response, 400, { object: 'error', message, type: 'BadRequestError', code: 400 }),
    );
    expect(String((outcome as PromiseRejectedResult).reason.message)).toContain('too long');
    expect(bodies).toHaveLength(1);
  });
});

describe('LM Studio', () => {
  it('lists its models without a key, and accepts the parts of a request', async () => {
    await using peer = await openAiPeer((response, { path, body }) => {
      if (path === '/v1/models') {
        const data = ['qwen3-8b', 'text-embedding-nomic'].map((id) => ({ id, object: 'model' }));
        return sendJson(response, 200, { object: 'list', data });
      }
      if (body.stream) return new StreamedCompletion(response).say('OK').end();
      // `json_object` is refused.
      if (body.response_format && body.response_format.type !== 'json_schema') {
        const error = "'response_format.type' must be 'json_schema' or 'text'";
        return sendJson(response, 400, { error });
      }
      if (wrongInStrict(body.response_format)) return sendJson(response, 400, { error: 'Schema' });
      return sendJson(response, 200, completion('OK'));
    });
    const endpoint = { apiKey: 'none', baseURL: peer.baseURL };
    const { signal } = new AbortController();
    expect(await modelsOfEndpoint(endpoint, signal)).toEqual(['qwen3-8b', 'text-embedding-nomic']);
    const asked = { model: 'qwen3-8b', embeddingModel: null };
    expect(await probeEndpoint(endpoint, asked, signal)).toMatchObject({
      failure: null,
      abilities: { streaming: true, tools: true, jsonSchema: true },
    });
  });

  it('reports a request that is too long in the stream', async () => {
    const { outcome, bodies } = await askProvider(
      'lmstudio',
      (response) => {
        const message = 'The model is loaded with context length of only 4096 tokens';
        new StreamedCompletion(response).raw(
          `event: error\ndata: ${JSON.stringify({ error: { message } })}\n\n`,
          true,
        );
      },
      { onText: () => {} },
    );
    expect(String((outcome as PromiseRejectedResult).reason.message)).toContain('too long');
    expect(bodies).toHaveLength(1);
  });
});
