import { requestOf } from '@tallyhand/agent-runtime/fixtures/handbook';
import { offlineEngine } from '@tallyhand/offline-engine/offline-engine';
import { offlinePlanner } from '@tallyhand/offline-engine/offline-planner';
import { describe, expect, it } from 'vitest';
import { enginesFrom } from './engines.ts';

const builtIn = { engine: offlineEngine(), planner: offlinePlanner() };
const standard = { engine: { ...builtIn.engine, model: 'standard' }, planner: builtIn.planner };
/** The connection of each choice was deleted, and the standard model costs 5 credits. */
const { answers, planners } = enginesFrom({
  builtIn,
  standard,
  connections: { find: async () => null },
  endpoints: {} as never,
  modelImages: { takesImages: async () => null },
  priceOf: async () => 5,
  onModelCall: () => undefined,
});
const chosen = {
  connectionId: '01890000-0000-7000-8000-000000000000',
  model: 'cheap',
  temperature: null,
  maxOutputTokens: null,
  reasoningEffort: null,
  fallback: null,
};
const failure = { name: 'EngineFailure', code: 'model-rejected' };

describe('the model of a deleted connection', () => {
  it.each([undefined, 5, 9])('is replaced by the standard model: price %s', async (price) => {
    const paid = price === undefined ? undefined : { kind: 'task' as const, price };
    expect((await answers.of('org', chosen, paid)).model).toBe('standard');
  });

  it('fails for work that was reserved for less than the standard model costs', async () => {
    const answer = await answers.of('org', chosen, { kind: 'task', price: 4 });
    expect(answer.model).toBe('cheap');
    await expect(answer.answer(requestOf({}))).rejects.toMatchObject(failure);
    const planner = await planners.of('org', chosen, { kind: 'step', price: 4 });
    await expect(planner.next({} as never)).rejects.toMatchObject(failure);
  });

  it('fails for work that no other model may do, whatever the standard model costs', async () => {
    const answer = await answers.of('org', chosen, { kind: 'task', price: 9, isExact: true });
    await expect(answer.answer(requestOf({}))).rejects.toMatchObject(failure);
  });
});
