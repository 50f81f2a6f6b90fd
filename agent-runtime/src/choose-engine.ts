import { openAiPlanner } from './browsing/openai-planner.ts';
import type { Planner } from './browsing/planner.ts';
import type { AnswerEngine, ModelSource, OfflineEngine, OnModelCall } from './engine.ts';
import { listedCost, providerAt } from './model-cost.ts';
import { newCircuit } from './openai/circuit.ts';
import type { Endpoint } from './openai/client.ts';
import { openAiEngine } from './openai/openai-engine.ts';

export type EngineConfig = {
  openAiApiKey?: string;
  /** Sufficient alone: local endpoints often need no key. */
  openAiBaseUrl?: string;
  openAiModel?: string;
  openAiEmbeddingModel?: string;
};

const defaultModel = 'gpt-4o-mini';
const defaultEmbeddingModel = 'text-embedding-3-small';
const keyOfKeylessEndpoint = 'none';

/** The configured OpenAI-compatible endpoint and its model; null without key and address. */
function chatModelOf(
  config: EngineConfig,
): (Endpoint & { model: string; source: ModelSource }) | null {
  const apiKey = config.openAiApiKey?.trim();
  const baseURL = config.openAiBaseUrl?.trim();
  if (!apiKey && !baseURL) return null;
  const model = config.openAiModel?.trim() || defaultModel;
  const provider = baseURL ? providerAt(baseURL) : 'openai';
  return {
    apiKey: apiKey || keyOfKeylessEndpoint,
    baseURL: baseURL || undefined,
    model,
    circuit: newCircuit(),
    source: { connectionId: null, costOf: listedCost(provider, model) },
  };
}

/** The engine that answers: the configured endpoint's model, else the offline engine. */
export function engineFor(
  config: EngineConfig,
  offline: OfflineEngine,
  onModelCall?: OnModelCall,
): AnswerEngine {
  const chatModel = chatModelOf(config);
  const { closestQuote } = offline;
  return chatModel ? openAiEngine({ ...chatModel, onModelCall, closestQuote }) : offline;
}

/** The planner of sessions: the same model as answers, else the offline planner. */
export function plannerFor(
  config: EngineConfig,
  offline: Planner,
  onModelCall?: OnModelCall,
): Planner {
  const chatModel = chatModelOf(config);
  return chatModel ? openAiPlanner({ ...chatModel, onModelCall }) : offline;
}

/** The configured endpoint and its embedding model, or null. Only OpenAI has a default model. */
export function embeddingModelOf(
  config: EngineConfig,
): (Endpoint & { model: string; source: ModelSource }) | null {
  const apiKey = config.openAiApiKey?.trim();
  const baseURL = config.openAiBaseUrl?.trim();
  const model = config.openAiEmbeddingModel?.trim() || (baseURL ? '' : defaultEmbeddingModel);
  if ((!apiKey && !baseURL) || !model) return null;
  const provider = baseURL ? providerAt(baseURL) : 'openai';
  const source = { connectionId: null, costOf: listedCost(provider, model) };
  return { apiKey: apiKey || keyOfKeylessEndpoint, baseURL: baseURL || undefined, model, source };
}
