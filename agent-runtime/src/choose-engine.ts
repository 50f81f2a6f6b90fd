import { builtInEngine } from './built-in/built-in-engine.ts';
import type { AnswerEngine } from './engine.ts';
import type { Endpoint } from './openai/client.ts';
import { type Embedder, openAiEmbedder } from './openai/embeddings.ts';
import { openAiEngine } from './openai/openai-engine.ts';
import type { HearModelCall } from './openai/told-call.ts';

export type EngineConfig = {
  openAiApiKey?: string;
  /** Alone it is enough: local endpoints often want no key. */
  openAiBaseUrl?: string;
  openAiModel?: string;
  openAiEmbeddingModel?: string;
};

const defaultModel = 'gpt-4o-mini';
const defaultEmbeddingModel = 'text-embedding-3-small';
const keyOfKeylessEndpoint = 'none';

/**
 * The configured OpenAI-compatible endpoint and its model; null without key and address: then the
 * built-in engine works offline.
 */
export function chatModelOf(config: EngineConfig): (Endpoint & { model: string }) | null {
  const apiKey = config.openAiApiKey?.trim();
  const baseURL = config.openAiBaseUrl?.trim();
  if (!apiKey && !baseURL) return null;
  return {
    apiKey: apiKey || keyOfKeylessEndpoint,
    baseURL: baseURL || undefined,
    model: config.openAiModel?.trim() || defaultModel,
  };
}

export function engineFor(config: EngineConfig, hear?: HearModelCall): AnswerEngine {
  const chatModel = chatModelOf(config);
  return chatModel ? openAiEngine({ ...chatModel, hear }) : builtInEngine();
}

/**
 * Embeddings of the configured endpoint. What other endpoints than OpenAI's own call their models
 * nobody can guess: there the model has to be named.
 */
export function embedderFor(config: EngineConfig, hear?: HearModelCall): Embedder | null {
  const apiKey = config.openAiApiKey?.trim();
  const baseURL = config.openAiBaseUrl?.trim();
  const model = config.openAiEmbeddingModel?.trim() || (baseURL ? '' : defaultEmbeddingModel);
  if ((!apiKey && !baseURL) || !model) return null;
  return openAiEmbedder({
    apiKey: apiKey || keyOfKeylessEndpoint,
    baseURL: baseURL || undefined,
    model,
    hear,
  });
}
