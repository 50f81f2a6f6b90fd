import { NotFound, type Problem } from '@tallyhand/contracts/kernel/problem';
import { problemOf } from '@tallyhand/service-kit/http/problem';
import { describe, expect, it } from 'vitest';
import type { Answered } from './answered.ts';
import { chunksOf, completionOf } from './chat-completion.ts';

const answered: Answered = {
  taskId: '0193a1b2-0000-7000-8000-000000000001',
  agentId: '0193a1b2-0000-7000-8000-000000000002',
  requestedAt: '2027-01-31T09:30:00.500Z',
  price: 3,
  success: true,
  output: 'Within 30 days.',
  sources: [],
  usage: [
    {
      connectionId: null,
      model: 'first',
      calls: 2,
      inputTokens: 100,
      cachedTokens: 40,
      outputTokens: 7,
      isEstimated: false,
      latencyMs: 900,
      costMicros: null,
    },
    {
      connectionId: null,
      model: 'second',
      calls: 1,
      inputTokens: 10,
      cachedTokens: 0,
      outputTokens: 1,
      isEstimated: true,
      latencyMs: 90,
      costMicros: null,
    },
  ],
};
const body = { model: 'Support', messages: [] };
const linesOf = (text: string) =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map((line) => line.replace(/^data: /, ''));

describe('a chat completion', () => {
  it('has the tokens of all models together, and the price of the task', () => {
    const completion = completionOf(answered, body);
    expect(completion.usage).toEqual({
      prompt_tokens: 110,
      completion_tokens: 8,
      total_tokens: 118,
      prompt_tokens_details: { cached_tokens: 40 },
    });
    expect(completion).toMatchObject({
      id: 'chatcmpl-0193a1b2000070008000000000000001',
      created: 1_801_387_800,
      tallyhand: { credits: 3 },
    });
  });
});

describe('the stream of a chat completion', () => {
  it('begins with the role once, whether it is streamed or a stored answer', () => {
    const reply = completionOf(answered, body);
    const running = chunksOf(body, new Date());
    const begun = running('started', { taskId: answered.taskId });
    const ended = running('reply', reply);
    const stored = chunksOf(body, new Date())('reply', reply);
    for (const text of [begun + ended, stored]) {
      const lines = linesOf(text);
      expect(lines.at(-1)).toBe('[DONE]');
      const chunks = lines.slice(0, -1).map((line) => JSON.parse(line));
      expect(chunks.map(({ choices }) => choices[0].delta)).toEqual([
        { role: 'assistant', content: '' },
        { content: 'Within 30 days.' },
        {},
      ]);
      expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set([reply.id]));
    }
  });

  it('shows no tool call: the agent makes them', () => {
    expect(chunksOf(body, new Date())('toolCall', { ordinal: 1 })).toBe('');
  });

  it('ends with an error if the task fails', () => {
    const problem: Problem = problemOf(NotFound({ what: 'agent' }), 'c');
    const [line = ''] = linesOf(chunksOf(body, new Date())('failed', problem));
    expect(JSON.parse(line).error).toMatchObject({ code: 'not-found', param: null });
  });
});
