import {
  MODEL_PROVIDERS,
  type ModelProviderId,
} from '@tallyhand/contracts/features/models/model-providers';
import { describe, expect, it } from 'vitest';
import type { AnswerRequest, EngineTool, JsonObject } from '../engine.ts';
import { closestQuote, handbookPassages, requestOf } from '../fixtures/handbook.ts';
import {
  type Answering,
  completion,
  openAiPeer,
  StreamedCompletion,
  sendJson,
} from './fixtures/openai-peer.ts';
import { openAiEngine } from './openai-engine.ts';

const passages = handbookPassages().slice(0, 4);
const KEY = 'sk-test-0123456789';

/** Asks a local peer that answers in the form of the provider's documentation. */
async function askProvider(
  id: ModelProviderId,
  answering: Answering,
  request: Partial<AnswerRequest> = {},
  path = '/v1',
) {
  await using peer = await openAiPeer(answering);
  const { keyHeader, limitField } = MODEL_PROVIDERS[id];
  const engine = openAiEngine({
    apiKey: KEY,
    keyHeader,
    baseURL: peer.baseURL.replace('/v1', path),
    model: 'peer',
    closestQuote,
    maxRetries: 0,
    options: { temperature: 0.5, maxOutputTokens: 900, reasoningEffort: null, limitField },
  });
  const usages: unknown[] = [];
  const [outcome] = await Promise.allSettled([
    engine.answer(
      requestOf({ passages, onModelCall: ({ usage }) => void usages.push(usage), ...request }),
    ),
  ]);
  return { outcome, usages, received: peer.received, bodies: peer.received.map((one) => one.body) };
}

/** A tool that records its calls, and the name that models know its operation by. */
function weather() {
  const asked: JsonObject[] = [];
  const operation = { name: 'get', description: 'The weather', parameters: {}, isRead: true };
  const tool: EngineTool = {
    id: 'weather',
    title: 'Weather',
    description: 'Tells the weather.',
    operations: [{ ...operation, parameters: { type: 'object', properties: {} } }],
    async call(_, args) {
      asked.push(args);
      return { success: true, output: 'sunny' };
    },
  };
  return { tool, asked, name: 'Weather_get' };
}

const usageChunk = (usage: object) =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [], usage })}\n\n`;
const counted = { prompt_tokens: 40, completion_tokens: 8, total_tokens: 48 };
const countedUsage = { inputTokens: 40, cachedTokens: 0, outputTokens: 8, isEstimated: false };
const twoCalls = (call: (city: string) => object): Answering => {
  return (response, _, attempt) =>
    attempt > 1
      ? new StreamedCompletion(response).say('Sunny.').end()
      : new StreamedCompletion(response)
          .send({ role: 'assistant', tool_calls: [call('Oslo')] })
          .send({ tool_calls: [call('Rome')] })
          .end('stop');
};
const cities = [{ city: 'Oslo' }, { city: 'Rome' }];

describe('Anthropic', () => {
  it('ignores the schema: its plain text is the answer, with its citations', async () => {
    const { outcome, bodies, received } = await askProvider('anthropic', (response) =>
      sendJson(response, 200, { ...completion('You have 60 days [2].'), usage: counted }),
    );
    expect(outcome).toMatchObject({ value: { output: 'You have 60 days.', sources: [{}] } });
    expect(bodies).toEqual([expect.objectContaining({ max_tokens: 900, temperature: 0.5 })]);
    expect(received[0]?.authorization).toBe(`Bearer ${KEY}`);
  });
});

describe('Gemini', () => {
  it('calls tools side by side under one index, and gets its signatures back', async () => {
    const { tool, asked, name } = weather();
    const call = (city: string) => ({
      index: 0,
      id: `function-call-${city}`,
      type: 'function',
      function: { name, arguments: JSON.stringify({ city }) },
      ...(city === 'Oslo' && { extra_content: { google: { thought_signature: 'signed' } } }),
    });
    const { outcome, bodies } = await askProvider('gemini', twoCalls(call), {
      tools: [tool],
      onText: () => {},
    });
    expect(outcome).toMatchObject({ value: { output: 'Sunny.' } });
    expect(asked).toEqual(cities);
    expect(bodies[1]?.messages[2]).toMatchObject({
      tool_calls: [
        { extra_content: { google: { thought_signature: 'signed' } } },
        { id: 'function-call-Rome' },
      ],
    });
  });

  it('sends errors in a list: the part that they name is left out', async () => {
    const { outcome, bodies } = await askProvider('gemini', (response, { body }) =>
      body.response_format
        ? sendJson(response, 400, [
            {
              error: {
                code: 400,
                message: 'response_format: not here',
                status: 'INVALID_ARGUMENT',
              },
            },
          ])
        : sendJson(response, 200, completion('Sent.')),
    );
    expect(outcome).toMatchObject({ value: { output: 'Sent.' } });
    // Neither the temperature nor the limit was left out for it.
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toMatchObject({ temperature: 0.5, max_tokens: 900 });
  });
});

describe('Azure OpenAI', () => {
  it.each([
    ['/openai/v1', '/openai/v1/chat/completions'],
    [
      '/openai/deployments/mine?api-version=2024-10-21',
      '/openai/deployments/mine/chat/completions?api-version=2024-10-21',
    ],
  ])('is called at %s with its header and field', async (base, path) => {
    const answer = (response: Parameters<Answering>[0]) =>
      sendJson(response, 200, completion('Sent.'));
    const { outcome, received } = await askProvider('azure', answer, {}, base);
    expect(outcome).toMatchObject({ value: { output: 'Sent.' } });
    expect(received).toEqual([
      expect.objectContaining({ path, apiKey: KEY, authorization: undefined }),
    ]);
    expect(received[0]?.body).toMatchObject({ max_completion_tokens: 900 });
  });

  it('begins a stream with a chunk without choices', async () => {
    const { outcome } = await askProvider(
      'azure',
      (response) => {
        const stream = new StreamedCompletion(response);
        stream.raw('data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}\n\n');
        stream.say('Sent.').end();
      },
      { onText: () => {} },
    );
    expect(outcome).toMatchObject({ value: { output: 'Sent.' } });
  });

  it('filters a request: it is sent once', async () => {
    const { outcome, bodies } = await askProvider('azure', (response) =>
      sendJson(response, 400, { error: { code: 'content_filter', message: 'Filtered' } }),
    );
    expect(outcome).toMatchObject({ status: 'rejected' });
    expect(bodies).toHaveLength(1);
  });
});

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
