import { describe, expect, it } from 'vitest';
import { creditsOfModel, creditsOfWork, modelCreditsOf } from './model-credits.endpoints.ts';

const models = [
  { model: 'large-mini', credits: 2 },
  { model: 'large*', credits: 5 },
];
const prices = { standard: 3, models };
const connections = [{ id: 'a', models: ['large-1', 'small'] }];
const asked = (connectionId: string | null, model: string | null = null) =>
  creditsOfWork('task', prices, { connectionId, model }, connections);

describe('creditsOfModel', () => {
  it('is the first price that fits the name, or 1', () => {
    const names = ['large-mini', 'large-mini-2', 'large', 'Large', 'small', ''];
    expect(names.map((name) => creditsOfModel(models, name))).toEqual([2, 5, 5, 1, 1, 1]);
  });
});

describe('modelCreditsOf', () => {
  it('takes the price of `default` for agents without a choice', () => {
    const standard = (all: typeof models | null) => modelCreditsOf(all).standard;
    const standardOf = [...models, { model: 'default', credits: 4 }];
    expect([standard(standardOf), standard([{ model: '*', credits: 3 }])]).toEqual([4, 3]);
    expect([standard(models), standard(null)]).toEqual([1, 1]);
    expect(modelCreditsOf(standardOf).models).toEqual(models);
  });
});

describe('creditsOfWork', () => {
  it('is the price of the chosen model', () => {
    expect([asked('a'), asked('a', 'small'), asked('a', 'large-mini')]).toEqual([5, 1, 2]);
    expect(creditsOfWork('step', prices, { connectionId: 'a', model: null }, connections)).toBe(5);
  });

  it('is that of the standard model without a choice, and without its connection', () => {
    expect(creditsOfWork('task', prices, null, connections)).toBe(3);
    expect(asked('gone', 'large')).toBe(3);
  });

  it('is 1 for the built-in engine', () => {
    expect(asked(null)).toBe(1);
  });
});
