import { MODEL_PROVIDERS, type ModelProviderId } from './model-providers.ts';
import type { TokenUsage } from './model-usage.ts';

/** Prices of a million tokens, in millionths of a US dollar. */
export type ModelPrice = {
  readonly input: number;
  /** Of the part of the input that the endpoint had cached. */
  readonly cached: number;
  readonly output: number;
};

/** When the prices below were taken from the providers' public lists. */
export const PRICES_OF = '2026-04-27';

/** In US cents for a million tokens: input, cached input, output. */
const cents = (input: number, cached: number, output: number): ModelPrice => ({
  input: Math.round(input * 10_000),
  cached: Math.round(cached * 10_000),
  output: Math.round(output * 10_000),
});
const FREE = cents(0, 0, 0);

type Prices = Readonly<Record<string, ModelPrice>>;

const OPENAI: Prices = {
  'gpt-4o': cents(250, 125, 1_000),
  'gpt-4o-mini': cents(15, 7.5, 60),
  'gpt-4.1': cents(200, 50, 800),
  'gpt-4.1-mini': cents(40, 10, 160),
  'gpt-4.1-nano': cents(10, 2.5, 40),
  'gpt-5': cents(125, 12.5, 1_000),
  'gpt-5-mini': cents(25, 2.5, 200),
  'gpt-5-nano': cents(5, 0.5, 40),
  o3: cents(200, 50, 800),
  'o4-mini': cents(110, 27.5, 440),
};

const CLAUDE: Prices = {
  'claude-opus-4-1': cents(1_500, 150, 7_500),
  'claude-sonnet-4-5': cents(300, 30, 1_500),
  'claude-haiku-4-5': cents(100, 10, 500),
};

/** Only models whose price is public and the same for every caller. Others have to be entered. */
const PRICES: Partial<Record<ModelProviderId, Prices>> = {
  openai: OPENAI,
  azure: OPENAI,
  anthropic: CLAUDE,
  gemini: {
    'gemini-2.5-pro': cents(125, 12.5, 1_000),
    'gemini-2.5-flash': cents(30, 3, 250),
  },
  mistral: {
    'mistral-large-latest': cents(50, 50, 150),
    'mistral-small-latest': cents(10, 10, 30),
  },
  groq: {
    'llama-3.3-70b-versatile': cents(59, 59, 79),
    'llama-3.1-8b-instant': cents(5, 5, 8),
  },
  openrouter: {
    'openai/gpt-4o-mini': cents(15, 7.5, 60),
    'anthropic/claude-sonnet-4.5': cents(300, 30, 1_500),
  },
  together: { 'meta-llama/Llama-3.3-70B-Instruct-Turbo': cents(88, 88, 88) },
  deepseek: {
    'deepseek-chat': cents(28, 2.8, 42),
    'deepseek-reasoner': cents(28, 2.8, 42),
  },
  xai: { 'grok-4': cents(300, 75, 1_500), 'grok-3-mini': cents(30, 7.5, 50) },
};

/** Servers on one's own computer charge nothing. */
const OWN_SERVERS: readonly ModelProviderId[] = ['ollama', 'lmstudio', 'vllm'];

/** The price of a model by the list, or null. Names with a date count as the model without it. */
export function listPriceOf(provider: ModelProviderId, model: string): ModelPrice | null {
  if (OWN_SERVERS.includes(provider)) return FREE;
  const prices = PRICES[provider] ?? {};
  const undated = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '');
  return own(prices, model) ?? own(prices, undated);
}

const own = (prices: Prices, name: string): ModelPrice | null =>
  Object.hasOwn(prices, name) ? (prices[name] ?? null) : null;

/** The provider whose address it is, for an endpoint that was named by its address alone. */
export function providerAt(baseUrl: string): ModelProviderId {
  const found = Object.entries(MODEL_PROVIDERS).find(
    ([, provider]) => provider.baseUrl !== '' && hostOf(provider.baseUrl) === hostOf(baseUrl),
  );
  return (found?.[0] as ModelProviderId | undefined) ?? 'other';
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);

/** What the tokens cost, in millionths of a US dollar; a started millionth counts as one. */
export function costMicrosOf(
  { inputTokens, cachedTokens, outputTokens }: TokenUsage,
  { input, cached, output }: ModelPrice,
): number {
  const fresh = inputTokens - cachedTokens;
  // Exact: tokens times prices may exceed what a number holds.
  const total =
    BigInt(fresh) * BigInt(input) +
    BigInt(cachedTokens) * BigInt(cached) +
    BigInt(outputTokens) * BigInt(output);
  return Number((total + 999_999n) / 1_000_000n);
}
