import { describe, expect, it } from 'vitest';
import { addUsage } from './add-usage.ts';
import { costMicrosOf, listPriceOf, providerAt } from './model-prices.ts';
import type { ModelUsage } from './model-usage.ts';

const tokens = { inputTokens: 1_200, cachedTokens: 1_000, outputTokens: 50, isEstimated: false };

describe('the cost of a model call', () => {
  it('counts cached tokens at their own price, in millionths of a dollar', () => {
    const price = { input: 150_000, cached: 75_000, output: 600_000 };
    // 200 × 0.15 + 1,000 × 0.075 + 50 × 0.6
    expect(costMicrosOf(tokens, price)).toBe(135);
  });

  it('rounds a started millionth up, and is exact for millions of tokens', () => {
    const price = { input: 1, cached: 0, output: 0 };
    expect(costMicrosOf({ ...tokens, cachedTokens: 0 }, price)).toBe(1);
    const many = { ...tokens, inputTokens: 9_007_199_254, cachedTokens: 0, outputTokens: 0 };
    expect(costMicrosOf(many, { ...price, input: 1_000_001 })).toBe(9_007_208_262);
  });
});

describe('the list of prices', () => {
  it('has the price of a model, also of a dated version', () => {
    expect(listPriceOf('openai', 'gpt-4o-mini-2024-07-18')).toEqual({
      input: 150_000,
      cached: 75_000,
      output: 600_000,
    });
    expect(listPriceOf('anthropic', 'claude-sonnet-4-5-20250929')?.output).toBe(15_000_000);
  });

  it('has none for other models, and zero for servers on the own computer', () => {
    expect(listPriceOf('openai', 'gpt-99')).toBeNull();
    expect(listPriceOf('openai', 'constructor')).toBeNull();
    expect(listPriceOf('other', 'gpt-4o')).toBeNull();
    expect(listPriceOf('ollama', 'llama3.2')).toEqual({ input: 0, cached: 0, output: 0 });
  });

  it('knows providers by the host of their address', () => {
    expect(providerAt('https://api.mistral.ai/v1/')).toBe('mistral');
    expect(providerAt('https://models.example.com/v1')).toBe('other');
    expect(providerAt('no address')).toBe('other');
  });
});

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
