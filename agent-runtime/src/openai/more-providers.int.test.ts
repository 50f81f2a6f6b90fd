import { describe, expect, it } from 'vitest';
import { askProvider, counted, countedUsage, oneCall, weather } from './fixtures/ask-provider.ts';
import {
  type Answering,
  completion,
  StreamedCompletion,
  sendJson,
} from './fixtures/openai-peer.ts';

describe('Groq', () => {
  it('counts the tokens of a stream in its own field', async () => {
    const { outcome, usages, bodies } = await askProvider(
      'groq',
      (response) => {
        const stream = new StreamedCompletion(response).say('Sent.');
        const choices = [{ index: 0, delta: {}, finish_reason: 'stop' }];
        const chunk = { choices, x_groq: { id: 'req_1', usage: counted } };
        stream.raw(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, true);
      },
      { onText: () => {} },
    );
    expect(outcome).toMatchObject({ value: { output: 'Sent.' } });
    expect(usages).toEqual([countedUsage]);
    expect(bodies[0]).toMatchObject({ max_completion_tokens: 900 });
  });

  it('has models without structured answers: the schema alone is left out', async () => {
    const { outcome, bodies } = await askProvider('groq', (response, { body }) => {
      const message = 'This model does not support response format `json_schema`.';
      if (body.response_format) return sendJson(response, 400, { error: { message } });
      return sendJson(response, 200, completion('You have 60 days [2].'));
    });
    expect(outcome).toMatchObject({ value: { output: 'You have 60 days.', sources: [{}] } });
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toMatchObject({ temperature: 0.5, max_completion_tokens: 900 });
  });
});

describe('OpenRouter', () => {
  it('keeps a stream alive by comments', async () => {
    const { outcome } = await askProvider(
      'openrouter',
      (response) => {
        const stream = new StreamedCompletion(response);
        stream.raw(': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n');
        stream.say('Sent.').raw(': OPENROUTER PROCESSING\n\n');
        stream.end();
      },
      { onText: () => {} },
    );
    expect(outcome).toMatchObject({ value: { output: 'Sent.' } });
  });

  const failed = (code: unknown) => ({ error: { code, message: 'Provider failed' } });
  it.each<[string, Answering, object, string]>([
    [
      'instead of an answer',
      (response) => sendJson(response, 200, failed(429)),
      {},
      'The model is busy or its quota is used up (429).',
    ],
    [
      'within an answer',
      (response) => {
        const message = { role: 'assistant', content: '' };
        const choice = { index: 0, finish_reason: 'error', message, ...failed(502) };
        return sendJson(response, 200, { ...completion(''), choices: [choice] });
      },
      {},
      'The model is unavailable right now (502).',
    ],
    [
      'in the middle of a stream',
      (response) => {
        const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'error' }];
        new StreamedCompletion(response).raw(
          `data: ${JSON.stringify({ choices, ...failed('server_error') })}\n\n`,
          true,
        );
      },
      { onText: () => {} },
      'The model is unavailable right now (502).',
    ],
  ])('reports with the status 200 that a provider failed, %s', async (_, answering, more, said) => {
    const { outcome } = await askProvider('openrouter', answering, more);
    expect(outcome).toMatchObject({ reason: { code: 'model-unavailable', message: said } });
  });

  it('gets the details of its thoughts back with the calls of tools', async () => {
    const { tool, name } = weather();
    const details = [
      { type: 'reasoning.text', text: 'Hm', index: 0 },
      { type: 'reasoning.encrypted', data: 'signed', index: 1 },
    ];
    const { outcome, bodies } = await askProvider(
      'openrouter',
      oneCall(name, ...details.map((detail) => ({ reasoning_details: [detail] }))),
      { tools: [tool], onText: () => {} },
    );
    expect(outcome).toMatchObject({ value: { output: 'Sunny.' } });
    expect(bodies[1]?.messages[2]).toMatchObject({ reasoning_details: details });
  });
});

describe('Together AI', () => {
  it('ends with a reason of its own, and its usage in the last piece', async () => {
    const { outcome, usages } = await askProvider(
      'together',
      (response) => {
        const stream = new StreamedCompletion(response).say('Sent.');
        const choices = [{ index: 0, text: '', delta: { content: '' }, finish_reason: 'eos' }];
        stream.raw(
          `data: ${JSON.stringify({ choices, usage: counted })}\n\ndata: [DONE]\n\n`,
          true,
        );
      },
      { onText: () => {} },
    );
    expect(outcome).toMatchObject({ value: { output: 'Sent.' } });
    expect(usages).toEqual([countedUsage]);
  });

  it('names a request that is too long by its own words: it is sent once', async () => {
    const message = '`inputs` tokens + `max_new_tokens` must be <= 8193.';
    const { outcome, bodies } = await askProvider('together', (response) =>
      sendJson(response, 422, { error: { message, type: 'invalid_request_error' } }),
    );
    expect(String((outcome as PromiseRejectedResult).reason.message)).toContain('too long');
    expect(bodies).toHaveLength(1);
  });
});

describe('DeepSeek', () => {
  it('gets its thoughts back with the calls of tools, without which it refuses them', async () => {
    const { tool, name } = weather();
    const pieces: string[] = [];
    const answering = oneCall(name, { reasoning_content: 'Hm' }, { reasoning_content: ', Oslo.' });
    const { outcome, bodies } = await askProvider(
      'deepseek',
      (response, received, attempt) => {
        const message = 'The `reasoning_content` in the thinking mode must be passed back';
        const [, , said] = received.body.messages as { reasoning_content?: string }[];
        if (!said || said.reasoning_content) return answering(response, received, attempt);
        return sendJson(response, 400, { error: { message } });
      },
      { tools: [tool], onText: (piece) => void pieces.push(piece) },
    );
    expect(outcome).toMatchObject({ value: { output: 'Sunny.' } });
    expect(pieces.join('')).toBe('Sunny.');
    expect(bodies[1]?.messages[2]).toMatchObject({ reasoning_content: 'Hm, Oslo.' });
  });

  it('waits with comments and empty lines, has no schemas, and names cached tokens', async () => {
    const usage = { ...counted, prompt_cache_hit_tokens: 32, prompt_cache_miss_tokens: 8 };
    const { outcome, usages, bodies } = await askProvider('deepseek', (response, { body }) => {
      const message = 'This response_format type is unavailable now';
      if (body.response_format) return sendJson(response, 400, { error: { message } });
      const said = JSON.stringify({ ...completion('Sent.'), usage });
      return sendJson(response, 200, `\n\n\n${said}`);
    });
    expect(outcome).toMatchObject({ value: { output: 'Sent.' } });
    expect(bodies).toHaveLength(2);
    expect(usages).toEqual([{ ...countedUsage, cachedTokens: 32 }]);
  });
});

describe('xAI', () => {
  it('counts thoughts in the total alone', async () => {
    const usage = { prompt_tokens: 40, completion_tokens: 8, total_tokens: 148 };
    const { usages } = await askProvider('xai', (response) =>
      sendJson(response, 200, { ...completion('Sent.'), usage }),
    );
    expect(usages).toEqual([{ ...countedUsage, outputTokens: 108 }]);
  });

  it('sends errors as a text: the effort that it names is left out', async () => {
    const { outcome, bodies } = await askProvider(
      'xai',
      (response, { body }) =>
        'reasoning_effort' in body
          ? sendJson(response, 400, {
              code: 'Client specified an invalid argument',
              error: 'Model grok-4 does not support parameter reasoningEffort.',
            })
          : sendJson(response, 200, completion('Sent.')),
      { effort: 'high' },
    );
    expect(outcome).toMatchObject({ value: { output: 'Sent.' } });
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toMatchObject({ temperature: 0.5, max_tokens: 900 });
  });
});
