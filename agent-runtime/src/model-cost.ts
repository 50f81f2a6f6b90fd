import {
  MODEL_PROVIDERS,
  type ModelProviderId,
} from '@tallyhand/contracts/features/models/model-providers';
import type { TokenUsage } from '@tallyhand/contracts/features/models/model-usage';
import type { ModelPrice } from '@tallyhand/contracts/features/models/models.fields';

/**
 * What the tokens of a call cost, in millionths of a US dollar; a started millionth counts as one.
 * Null where no price is known.
 */
export type CostOf = (usage: TokenUsage) => Promise<number | null>;

const MICROS = 1_000_000;
/** Below this part of a millionth, a price is an artifact of floating point. */
const DECIMALS = 6;

/** How the list of public prices calls the providers. */
const LISTED: Partial<Record<ModelProviderId, string>> = {
  openai: 'openai',
  azure: 'azure',
  anthropic: 'anthropic',
  gemini: 'google',
  mistral: 'mistral',
  groq: 'groq',
  openrouter: 'openrouter',
  together: 'together',
  deepseek: 'deepseek',
  xai: 'x-ai',
};

/** Servers on one's own computer charge nothing. */
const OWN_SERVERS: readonly ModelProviderId[] = ['ollama', 'lmstudio', 'vllm'];

const microsOf = (dollars: number) => BigInt(Math.round(dollars * MICROS));

/** The cost by a price that was entered. */
export const costBy =
  ({ input, cachedInput, output }: Omit<ModelPrice, 'model'>): CostOf =>
  async ({ inputTokens, cachedTokens, outputTokens }) => {
    // Exact: tokens times prices may exceed what a number holds.
    const total =
      BigInt(inputTokens - cachedTokens) * microsOf(input) +
      BigInt(cachedTokens) * microsOf(cachedInput ?? input) +
      BigInt(outputTokens) * microsOf(output);
    return Number((total + 999_999n) / 1_000_000n);
  };

/** The cost by the provider's public prices. */
export function listedCost(provider: ModelProviderId, model: string): CostOf {
  if (OWN_SERVERS.includes(provider)) return async () => 0;
  const providerId = LISTED[provider];
  if (!providerId) return async () => null;
  return async ({ inputTokens, cachedTokens, outputTokens }) => {
    // The list is large, and only calls of models need it.
    const { calcPrice } = await import('@pydantic/genai-prices');
    const usage = {
      input_tokens: inputTokens,
      cache_read_tokens: Math.min(cachedTokens, inputTokens),
      output_tokens: outputTokens,
    };
    const found = calcPrice(usage, model, { providerId });
    return found && Math.ceil(Number((found.total_price * MICROS).toFixed(DECIMALS)));
  };
}

/** The provider whose address it is, for an endpoint that was named by its address alone. */
export function providerAt(baseUrl: string): ModelProviderId {
  const found = Object.entries(MODEL_PROVIDERS).find(
    ([, provider]) => provider.baseUrl !== '' && hostOf(provider.baseUrl) === hostOf(baseUrl),
  );
  return (found?.[0] as ModelProviderId | undefined) ?? 'other';
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);
