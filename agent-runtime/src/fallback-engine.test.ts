import {
  ModelBusy,
  ModelKeyRejected,
  ModelTimedOut,
} from '@tallyhand/contracts/features/tasks/work-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import { describe, expect, it } from 'vitest';
import { planRequest } from './browsing/fixtures/request.ts';
import type { Planner } from './browsing/planner.ts';
import { type AnswerEngine, type AnswerRequest, EngineFailure, type EngineTool } from './engine.ts';
import { plannerWithFallback, withFallback } from './fallback-engine.ts';
import { requestOf } from './fixtures/handbook.ts';

const second: AnswerEngine = {
  model: 'second',
  seesImages: false,
  answer: async () => ({ output: 'Yes.', reasoning: '', sources: [], model: 'second' }),
};

const failing = (
  why: Sentence,
  before: (request: AnswerRequest) => unknown = () => undefined,
): AnswerEngine => ({
  model: 'first',
  seesImages: true,
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

describe('a request with images', () => {
  const images = [{ name: 'a.png', base64: '' }];

  it('is not answered by a fallback that takes none', async () => {
    const engine = withFallback(failing(ModelBusy({})), second);
    expect(engine.seesImages).toBe(true);
    const answer = engine.answer(requestOf({ images }));
    await expect(answer).rejects.toMatchObject({ code: 'model-unavailable' });
    const seeing = withFallback(failing(ModelBusy({})), { ...second, seesImages: true });
    expect((await seeing.answer(requestOf({ images }))).model).toBe('second');
  });
});

describe('a fallback of a planner', () => {
  const planner = (model: string, next: Planner['next']): Planner => ({
    model,
    seesImages: false,
    next,
  });
  const fails = (why: Sentence) => planner('first', () => Promise.reject(new EngineFailure(why)));
  const spare = planner('second', async () => ({ action: { type: 'back' }, reasoning: '' }));

  it('plans while the model is busy', async () => {
    const planned = plannerWithFallback(fails(ModelBusy({})), spare).next(planRequest());
    await expect(planned).resolves.toMatchObject({ action: { type: 'back' } });
  });

  it('does not hide a rejected key, or plan for a runner that has left', async () => {
    const rejected = plannerWithFallback(fails(ModelKeyRejected({ status: 401 })), spare);
    await expect(rejected.next(planRequest())).rejects.toMatchObject({ code: 'model-rejected' });
    const busy = plannerWithFallback(fails(ModelBusy({})), spare);
    const gone = planRequest({ signal: AbortSignal.abort() });
    await expect(busy.next(gone)).rejects.toMatchObject({ code: 'model-unavailable' });
  });
});
