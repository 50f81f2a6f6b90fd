import { describe, expect, it } from 'vitest';
import {
  askProvider,
  cities,
  counted,
  countedUsage,
  KEY,
  twoCalls,
  weather,
} from './fixtures/ask-provider.ts';
import {
  type Answering,
  completion,
  StreamedCompletion,
  sendJson,
} from './fixtures/openai-peer.ts';
import { wrongInStrict } from './fixtures/strict-schema.ts';

describe('OpenAI', () => {
  it('takes the schema of answers as a strict one', async () => {
    const { outcome, bodies } = await askProvider('openai', (response, { body }) => {
      const wrong = wrongInStrict(body.response_format);
      if (wrong)
        return sendJson(response, 400, { error: { message: `response_format: ${wrong}` } });
      const said = { answer: 'You have 60 days.', usedPassages: [2], reasoning: '' };
      return sendJson(response, 200, completion(said));
    });
    expect(outcome).toMatchObject({ value: { output: 'You have 60 days.', sources: [{}] } });
    expect(bodies).toEqual([expect.objectContaining({ max_completion_tokens: 900 })]);
  });

  it.each([
    ['whole', undefined],
    ['streamed', () => {}],
  ])('refuses in a field of its own, %s', async (_, onText) => {
    const { outcome } = await askProvider(
      'openai',
      (response) => {
        const refusal = "I'm sorry, I can't help with that.";
        if (onText) return new StreamedCompletion(response).send({ refusal }).end();
        const message = { role: 'assistant', content: null, refusal };
        const choices = [{ index: 0, finish_reason: 'stop', message }];
        return sendJson(response, 200, { ...completion(''), choices });
      },
      { onText },
    );
    expect(outcome).toMatchObject({ reason: { code: 'model-rejected' } });
  });
});

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

describe('Mistral', () => {
  /** Fields beside these are refused. */
  const known = [
    'model',
    'messages',
    'temperature',
    'max_tokens',
    'response_format',
    'stream',
    'tools',
    'tool_choice',
  ];
  const strict =
    (answering: Answering): Answering =>
    (response, received, attempt) => {
      const extra = Object.keys(received.body).find((field) => !known.includes(field));
      if (!extra) return answering(response, received, attempt);
      const detail = [{ type: 'extra_forbidden', loc: ['body', extra], msg: 'Not permitted' }];
      return sendJson(response, 422, { object: 'error', message: { detail }, code: null });
    };

  it('refuses to be asked for usage, and sends it with the last piece', async () => {
    const answering = strict((response) => {
      const stream = new StreamedCompletion(response).say('Sent.');
      const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }];
      stream.raw(`data: ${JSON.stringify({ choices, usage: counted })}\n\ndata: [DONE]\n\n`, true);
    });
    const { outcome, usages, bodies } = await askProvider('mistral', answering, {
      onText: () => {},
    });
    expect(outcome).toMatchObject({ value: { output: 'Sent.' } });
    expect(usages).toEqual([countedUsage]);
    // Nothing but what it named was left out.
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toMatchObject({ temperature: 0.5, max_tokens: 900 });
  });

  it('answers in pieces, of which thoughts are not shown', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Sent.' },
    ];
    const { outcome } = await askProvider(
      'mistral',
      strict((response) => {
        const message = { role: 'assistant', content };
        const choices = [{ index: 0, finish_reason: 'stop', message }];
        sendJson(response, 200, { ...completion(''), choices });
      }),
    );
    expect(outcome).toMatchObject({ value: { output: 'Sent.' } });
  });

  it('takes ids of nine letters and digits back, also for calls that had none', async () => {
    const { tool, name } = weather();
    const calls = twoCalls((city) => ({
      index: 0,
      function: { name, arguments: JSON.stringify({ city }) },
    }));
    const { outcome, bodies } = await askProvider(
      'mistral',
      strict((response, received) =>
        calls(response, received, received.body.messages.length > 2 ? 2 : 1),
      ),
      { tools: [tool], onText: () => {} },
    );
    expect(outcome).toMatchObject({ value: { output: 'Sunny.' } });
    const ids = bodies.at(-1)?.messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
    expect(ids).toEqual([
      expect.stringMatching(/^[a-zA-Z0-9]{9}$/),
      expect.stringMatching(/^[a-zA-Z0-9]{9}$/),
    ]);
  });
});
