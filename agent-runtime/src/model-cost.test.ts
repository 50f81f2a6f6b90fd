import { MODEL_PROVIDERS } from '@tallyhand/contracts/features/models/model-providers';
import { describe, expect, it } from 'vitest';
import { listedCost, providerAt } from './model-cost.ts';

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

describe('the provider of an address', () => {
  it('is known by the host', () => {
    expect(providerAt('https://api.mistral.ai/v1/')).toBe('mistral');
    expect(providerAt('https://models.example.com/v1')).toBe('other');
    expect(providerAt('no address')).toBe('other');
  });
});
