/** How a provider expects the API key. */
export type KeyHeader = 'authorization' | 'api-key';

/**
 * A provider of models with an endpoint that speaks OpenAI's protocol. Facts from the providers' public
 * documentation as of 2026-11; all of it can be changed in a connection.
 */
export type ModelProvider = {
  /** The provider's own name, the same in every language. */
  readonly name: string;
  /** Proposed for new connections. With `{resource}`, the member fills in a part of it. */
  readonly baseUrl: string;
  /** False: servers on one's own computer usually need no key. */
  readonly needsKey: boolean;
  readonly keyHeader: KeyHeader;
  /** The field that limits the output; OpenAI's newer models refuse the older one. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
  /** Proposed models, the default first. */
  readonly models: readonly string[];
  /** A proposed model for embeddings. */
  readonly embeddingModel: string | null;
};

const bearer = {
  needsKey: true,
  keyHeader: 'authorization',
  limitField: 'max_tokens',
  embeddingModel: null,
} as const;
const ownServer = { ...bearer, needsKey: false } as const;

export const MODEL_PROVIDERS = {
  openai: {
    ...bearer,
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    limitField: 'max_completion_tokens',
    models: ['gpt-4o-mini', 'gpt-4o', 'gpt-4.1', 'gpt-4.1-mini', 'o4-mini'],
    embeddingModel: 'text-embedding-3-small',
  },
  azure: {
    ...bearer,
    name: 'Azure OpenAI',
    baseUrl: 'https://{resource}.openai.azure.com/openai/v1',
    keyHeader: 'api-key',
    limitField: 'max_completion_tokens',
    models: ['gpt-4o-mini', 'gpt-4o'],
  },
  anthropic: {
    ...bearer,
    name: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    models: ['claude-sonnet-4-5', 'claude-haiku-4-5', 'claude-opus-4-1'],
  },
  gemini: {
    ...bearer,
    name: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    models: ['gemini-2.5-flash', 'gemini-2.5-pro'],
    embeddingModel: 'gemini-embedding-001',
  },
  mistral: {
    ...bearer,
    name: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    models: ['mistral-small-latest', 'mistral-large-latest'],
    embeddingModel: 'mistral-embed',
  },
  groq: {
    ...bearer,
    name: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    limitField: 'max_completion_tokens',
    models: ['llama-3.3-70b-versatile', 'llama-3.1-8b-instant'],
  },
  openrouter: {
    ...bearer,
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    models: ['openai/gpt-4o-mini', 'anthropic/claude-sonnet-4.5'],
  },
  together: {
    ...bearer,
    name: 'Together AI',
    baseUrl: 'https://api.together.xyz/v1',
    models: ['meta-llama/Llama-3.3-70B-Instruct-Turbo'],
  },
  deepseek: {
    ...bearer,
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    models: ['deepseek-chat', 'deepseek-reasoner'],
  },
  xai: {
    ...bearer,
    name: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    models: ['grok-4', 'grok-3-mini'],
  },
  ollama: {
    ...ownServer,
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    models: ['llama3.2', 'qwen2.5'],
    embeddingModel: 'nomic-embed-text',
  },
  lmstudio: {
    ...ownServer,
    name: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    models: [],
  },
  vllm: {
    ...ownServer,
    name: 'vLLM',
    baseUrl: 'http://127.0.0.1:8000/v1',
    models: [],
  },
  other: {
    ...ownServer,
    name: 'OpenAI-compatible',
    baseUrl: '',
    models: [],
  },
} as const satisfies Readonly<Record<string, ModelProvider>>;

export type ModelProviderId = keyof typeof MODEL_PROVIDERS;
export const MODEL_PROVIDER_IDS = Object.keys(MODEL_PROVIDERS) as [
  ModelProviderId,
  ...ModelProviderId[],
];
