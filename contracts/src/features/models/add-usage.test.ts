import { describe, expect, it } from 'vitest';
import { addUsage } from './add-usage.ts';
import type { ModelUsage } from './model-usage.ts';

const tokens = { inputTokens: 1_200, cachedTokens: 1_000, outputTokens: 50, isEstimated: false };

describe('a sum of usage', () => {
  const one: ModelUsage = {
    ...tokens,
    connectionId: null,
    model: 'a',
    calls: 1,
    latencyMs: 10,
    costMicros: 5,
  };

  it('has one entry for each model of each connection', () => {
    expect(addUsage([one], [one, { ...one, model: 'b' }])).toMatchObject([
      {
        model: 'a',
        calls: 2,
        inputTokens: 2_400,
        outputTokens: 100,
        latencyMs: 20,
        costMicros: 10,
      },
      { model: 'b', calls: 1 },
    ]);
  });

  it('has no cost and counts as estimated as soon as one part does', () => {
    const estimated = { ...one, costMicros: null, isEstimated: true };
    expect(addUsage([one], [estimated])).toMatchObject([{ costMicros: null, isEstimated: true }]);
  });
});
