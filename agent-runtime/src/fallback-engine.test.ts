import {
  ModelBusy,
  ModelKeyRejected,
  ModelTimedOut,
} from '@tallyhand/contracts/features/tasks/work-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import { describe, expect, it } from 'vitest';
import { type AnswerEngine, type AnswerRequest, EngineFailure, type EngineTool } from './engine.ts';
import { withFallback } from './fallback-engine.ts';
import { requestOf } from './fixtures/handbook.ts';

const second: AnswerEngine = {
  model: 'second',
  answer: async () => ({ output: 'Yes.', reasoning: '', sources: [], model: 'second' }),
};

const failing = (
  why: Sentence,
  before: (request: AnswerRequest) => unknown = () => undefined,
): AnswerEngine => ({
  model: 'first',
  async answer(request) {
    await before(request);
    throw new EngineFailure(why);
  },
});

const tool: EngineTool = {
  id: 'orders',
  title: 'Orders',
  description: 'Looks orders up',
  operations: [],
  call: async () => ({ success: true, output: '' }),
};

describe('a fallback', () => {
  it.each([
    ['busy', ModelBusy({})],
    ['late', ModelTimedOut({})],
  ])('answers when the model is %s', async (_, why) => {
    const answer = await withFallback(failing(why), second).answer(requestOf({}));
    expect(answer.model).toBe('second');
  });

  it('does not hide a rejected key', async () => {
    const engine = withFallback(failing(ModelKeyRejected({ status: 401 })), second);
    await expect(engine.answer(requestOf({}))).rejects.toMatchObject({ code: 'model-rejected' });
  });

  it.each<[string, (request: AnswerRequest) => unknown]>([
    ['has streamed text', ({ onText }) => onText?.('Ye')],
    [
      'has called a tool',
      ({ tools, signal }) => tools?.[0]?.call({} as EngineTool['operations'][number], {}, signal),
    ],
  ])('does not answer once the first model %s', async (_, act) => {
    const engine = withFallback(failing(ModelBusy({}), act), second);
    const request = requestOf({ tools: [tool], onText: () => undefined });
    await expect(engine.answer(request)).rejects.toMatchObject({ code: 'model-unavailable' });
  });
});
