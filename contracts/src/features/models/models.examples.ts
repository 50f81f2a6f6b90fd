import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as meaningSearch from './meaning-search.endpoints.ts';
import type * as modelCredits from './model-credits.endpoints.ts';
import type * as models from './models.endpoints.ts';

export const modelsExamples: AnswerExamples<
  typeof models & typeof modelCredits & typeof meaningSearch
> = {
  LocalServer: {
    provider: 'ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    models: ['llama3.2:latest'],
    embeddingModel: 'nomic-embed-text:latest',
  },
  ModelCredits: {
    standard: 1,
    models: [{ model: 'claude-opus-*', credits: 5 }],
  },
  Connection: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    name: 'Mistral',
    provider: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    models: ['mistral-small-latest'],
    embeddingModel: null,
    prices: [
      {
        model: 'mistral-small-latest',
        input: 0.1,
        cachedInput: null,
        output: 0.3,
      },
    ],
    apiKey: 'stored',
    version: 1,
    createdAt: '2027-01-31T09:30:00.000Z',
    updatedAt: '2027-01-31T09:30:00.000Z',
  },
  ConnectionTest: {
    works: true,
    model: 'mistral-small-latest',
    latencyMs: 412,
    abilities: {
      streaming: true,
      tools: true,
      jsonSchema: true,
      images: null,
      embeddings: null,
    },
    failure: null,
  },
  MeaningSearch: {
    source: 'connection',
    connectionId: '0193a1b2-0000-7000-8000-000000000001',
    model: 'mistral-embed',
    articles: 16,
    embedded: 12,
    inputTokens: 18_200,
    isEstimated: false,
    failure: null,
  },
  setMeaningSearch: {
    source: 'connection',
    connectionId: '0193a1b2-0000-7000-8000-000000000001',
  },
  ModelUsageRow: {
    key: '2027-01-31',
    name: null,
    calls: 42,
    estimatedCalls: 0,
    unpricedCalls: 0,
    inputTokens: 51_200,
    cachedTokens: 20_480,
    outputTokens: 6_300,
    latencyMs: 38_400,
    costMicros: 7_010,
  },
  EndpointModels: {
    models: ['mistral-large-latest', 'mistral-small-latest'],
    failure: null,
  },
};
