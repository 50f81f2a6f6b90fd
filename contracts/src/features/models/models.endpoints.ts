import { z } from 'zod';
import { ADMINS, MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { OneOf } from '../../kernel/lists.ts';
import { Sentence } from '../../kernel/sentence.ts';
import { versionedCalls } from '../../kernel/versioned-object.ts';
import { UsageQuery } from '../credits/credits.endpoints.ts';
import { MODEL_PROVIDER_IDS } from './model-providers.ts';
import { ModelCost } from './model-usage.ts';
import {
  ConnectionChange,
  ConnectionInput,
  EndpointInput,
  MODELS_MAX,
  ModelId,
  ModelPrice,
} from './models.fields.ts';

/** A connection to an endpoint of models. */
export const Connection = z.object({
  id: Id,
  name: z.string(),
  provider: z.string(),
  baseUrl: z.string(),
  /** The default model first. */
  models: z.array(z.string()),
  embeddingModel: z.string().nullable(),
  /** Prices that differ from the public ones. */
  prices: z.array(ModelPrice),
  /**
   * `stored`: an API key is kept, and never returned. `required`: the key was entered for another
   * provider or URL, and must be entered again.
   */
  apiKey: z.enum(['none', 'stored', 'required']),
  version: z.int(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Connection = z.infer<typeof Connection>;

/** What an endpoint can do, as a test has found; null if it was not tried. */
export const ModelAbilities = z.object({
  streaming: z.boolean().nullable(),
  tools: z.boolean().nullable(),
  jsonSchema: z.boolean().nullable(),
  images: z.boolean().nullable(),
  embeddings: z.boolean().nullable(),
});
export type ModelAbilities = z.infer<typeof ModelAbilities>;

/** The outcome of a real call. */
export const ConnectionTest = z.object({
  works: z.boolean(),
  model: z.string(),
  /** Until the whole answer of the first call. */
  latencyMs: z.int(),
  abilities: ModelAbilities,
  /** What fails. */
  failure: Sentence.nullable(),
});
export type ConnectionTest = z.infer<typeof ConnectionTest>;

export const connectionCalls = versionedCalls({
  noun: 'Connection',
  feature: 'models',
  path: '/api/connections',
  answer: Connection,
  answerExample: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    name: 'Mistral',
    provider: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    models: ['mistral-small-latest'],
    embeddingModel: null,
    prices: [{ model: 'mistral-small-latest', input: 0.1, cachedInput: null, output: 0.3 }],
    apiKey: 'stored',
    version: 1,
    createdAt: '2027-01-31T09:30:00.000Z',
    updatedAt: '2027-01-31T09:30:00.000Z',
  },
  searched: 'the name or base URL',
  filters: { provider: OneOf('provider', MODEL_PROVIDER_IDS).optional() },
  readers: MEMBERS,
  editors: ADMINS,
  create: {
    description:
      'Connects an endpoint that speaks the protocol of OpenAI. Its API key is stored encrypted and never returned.',
    body: ConnectionInput,
    example: {
      name: 'Mistral',
      provider: 'mistral',
      baseUrl: 'https://api.mistral.ai/v1',
      models: ['mistral-small-latest'],
      apiKey: 'a-key-of-mistral',
    },
  },
  change: {
    description:
      'Changes the fields that are sent. Its version grows by one. The API key is used only for the provider and the base URL that it was entered for.',
    body: ConnectionChange,
    example: { models: ['mistral-large-latest', 'mistral-small-latest'] },
  },
  deleteNote: 'Agents that use it answer with the default model.',
  restoreNote: 'The API key stays as it is.',
});
export const {
  list: listConnections,
  get: getConnection,
  create: createConnection,
  change: changeConnection,
  remove: deleteConnection,
  restore: restoreConnection,
  history: getConnectionHistory,
} = connectionCalls;

/** Have their names in the API document. */
export { ModelCost, ModelUsage } from './model-usage.ts';
export { ModelPrice } from './models.fields.ts';

export const MODEL_USAGE_GROUPS = ['day', 'agent', 'member', 'model'] as const;

/** Answered model calls. */
export const ModelUsageRow = ModelCost.extend({
  /** The day, the agent's or member's id, or the model. */
  key: z.string(),
  /** The name of the agent, member or model; null if there is none, or no longer. */
  name: z.string().nullable(),
  inputTokens: z.int(),
  cachedTokens: z.int(),
  outputTokens: z.int(),
  latencyMs: z.int(),
});
export type ModelUsageRow = z.infer<typeof ModelUsageRow>;

export const getModelUsage = endpoint({
  name: 'getModelUsage',
  method: 'GET',
  path: '/api/model-usage',
  access: ADMINS,
  feature: 'models',
  summary: 'Retrieve the usage of models',
  description:
    'Returns the tokens and the cost of model calls, grouped by day, agent, member or model.',
  query: UsageQuery.extend({
    by: z
      .enum(MODEL_USAGE_GROUPS, { error: `by must be one of ${MODEL_USAGE_GROUPS.join(', ')}` })
      .default('day'),
  }),
  status: 200,
  answer: z.array(ModelUsageRow),
  answerExample: [
    {
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
  ],
});

/** Servers of models that run on one's own computer. */
export const LOCAL_PROVIDERS = ['ollama', 'lmstudio'] as const;

/** A server of models that answers on the computer of the product. */
export const LocalServer = z.object({
  provider: z.enum(LOCAL_PROVIDERS),
  baseUrl: z.string(),
  /** At least one, in alphabetical order. */
  models: z.array(z.string()),
  embeddingModel: z.string().nullable(),
});
export type LocalServer = z.infer<typeof LocalServer>;

export const findLocalServers = endpoint({
  name: 'findLocalServers',
  method: 'POST',
  path: '/api/local-model-servers',
  access: ADMINS,
  feature: 'models',
  summary: 'Find model servers on this computer',
  description:
    'Looks for Ollama and LM Studio on the computer of the product. Finds none unless the product serves this computer only, and a single organization.',
  isKeyless: true,
  status: 200,
  answer: z.array(LocalServer),
  answerExample: [
    {
      provider: 'ollama',
      baseUrl: 'http://127.0.0.1:11434/v1',
      models: ['llama3.2:latest'],
      embeddingModel: 'nomic-embed-text:latest',
    },
  ],
});

const params = z.strictObject({ id: Id });

export const testConnection = endpoint({
  name: 'testConnection',
  method: 'POST',
  path: '/api/connections/{id}/test',
  access: ADMINS,
  feature: 'models',
  summary: 'Test a connection',
  description:
    'Makes real calls with a model of the connection, by default the first, and returns what it can do. The provider may charge for them.',
  params,
  body: z.strictObject({ model: ModelId.optional() }),
  example: { model: 'mistral-small-latest' },
  isKeyless: true,
  status: 200,
  answer: ConnectionTest,
  answerExample: {
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
});

/** The names of an endpoint's models. */
export const EndpointModels = z.object({
  models: z.array(z.string()),
  /** Why the endpoint returned none. */
  failure: Sentence.nullable(),
});
export type EndpointModels = z.infer<typeof EndpointModels>;

const endpointModelsExample: EndpointModels = {
  models: ['mistral-large-latest', 'mistral-small-latest'],
  failure: null,
};

export const discoverModels = endpoint({
  name: 'discoverModels',
  method: 'POST',
  path: '/api/connections/{id}/discover-models',
  access: ADMINS,
  feature: 'models',
  summary: 'Discover models',
  description: `Asks the endpoint which models it has. Returns at most ${MODELS_MAX}, in alphabetical order.`,
  params,
  isKeyless: true,
  status: 200,
  answer: EndpointModels,
  answerExample: endpointModelsExample,
});

export const listEndpointModels = endpoint({
  name: 'listEndpointModels',
  method: 'POST',
  path: '/api/endpoint-models',
  access: ADMINS,
  feature: 'models',
  summary: 'List the models of an endpoint',
  description: `Asks an endpoint that is not connected yet which models it has. Returns at most ${MODELS_MAX}, in alphabetical order. The API key is sent to this base URL only, and not stored.`,
  body: EndpointInput,
  example: {
    provider: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    apiKey: 'a-key-of-mistral',
  },
  isKeyless: true,
  status: 200,
  answer: EndpointModels,
  answerExample: endpointModelsExample,
});
