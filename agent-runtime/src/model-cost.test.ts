import { MODEL_PROVIDERS } from '@tallyhand/contracts/features/models/model-providers';
import { describe, expect, it } from 'vitest';
import { costBy, listedCost, providerAt } from './model-cost.ts';

const tokens = { inputTokens: 1_200, cachedTokens: 1_000, outputTokens: 50, isEstimated: false };

describe('the cost of a model call', () => {
  it('counts cached tokens at their own price, in millionths of a dollar', async () => {
    // 200 × 0.15 + 1,000 × 0.075 + 50 × 0.6
    expect(await listedCost('openai', 'gpt-4o-mini')(tokens)).toBe(135);
    expect(await listedCost('openai', 'gpt-4o-mini-2024-07-18')(tokens)).toBe(135);
  });

  it('rounds a started millionth up', async () => {
    const one = { ...tokens, inputTokens: 1, cachedTokens: 0, outputTokens: 0 };
    expect(await listedCost('openai', 'gpt-4o-mini')(one)).toBe(1);
  });

  it('counts no more cached tokens than there are', async () => {
    const odd = { ...tokens, inputTokens: 10, cachedTokens: 1_000, outputTokens: 0 };
    expect(await listedCost('openai', 'gpt-4o-mini')(odd)).toBe(1);
  });

  it('is the higher one that a provider asks for a long request', async () => {
    const long = { ...tokens, inputTokens: 300_000, cachedTokens: 0, outputTokens: 0 };
    expect(await listedCost('gemini', 'gemini-2.5-pro')(long)).toBe(750_000);
  });

  it.each(['openai', 'azure', 'anthropic', 'gemini', 'mistral', 'groq', 'openrouter'] as const)(
    'is known for a proposed model of %s',
    async (provider) => {
      const [model = ''] = MODEL_PROVIDERS[provider].models;
      expect(await listedCost(provider, model)(tokens)).toBeGreaterThan(0);
    },
  );

  it('is unknown for other models and endpoints, and nothing on the own computer', async () => {
    expect(await listedCost('openai', 'no-such-model')(tokens)).toBeNull();
    expect(await listedCost('openai', 'constructor')(tokens)).toBeNull();
    expect(await listedCost('other', 'gpt-4o')(tokens)).toBeNull();
    expect(await listedCost('ollama', 'llama3.2')(tokens)).toBe(0);
  });
});

describe('the cost by a price that was entered', () => {
  const price = { input: 0.15, cachedInput: 0.075, output: 0.6 };

  it('counts cached tokens at their own price, or like all others', async () => {
    expect(await costBy(price)(tokens)).toBe(135);
    expect(await costBy({ ...price, cachedInput: null })(tokens)).toBe(210);
  });

  it('rounds a started millionth up, and is exact for millions of tokens', async () => {
    const one = { input: 0.000001, cachedInput: 0, output: 0 };
    expect(await costBy(one)({ ...tokens, cachedTokens: 0 })).toBe(1);
    const many = { ...tokens, inputTokens: 9_007_199_254, cachedTokens: 0, outputTokens: 0 };
    expect(await costBy({ ...one, input: 1.000001 })(many)).toBe(9_007_208_262);
  });
});

describe('the provider of an address', () => {
  it('is known by the host', () => {
    expect(providerAt('https://api.mistral.ai/v1/')).toBe('mistral');
    expect(providerAt('https://models.example.com/v1')).toBe('other');
    expect(providerAt('no address')).toBe('other');
  });
});
