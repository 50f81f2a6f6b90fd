import { builtInEngine } from './built-in/built-in-engine.ts';
import type { AnswerEngine } from './engine.ts';
import { openAiEngine } from './openai/openai-engine.ts';

export type EngineConfig = {
  openAiApiKey?: string;
  /** Alone it is enough: local endpoints often want no key. */
  openAiBaseUrl?: string;
  openAiModel?: string;
};

const defaultModel = 'gpt-4o-mini';
const keyOfKeylessEndpoint = 'none';

/**
 * The configured OpenAI-compatible endpoint; without key and address the built-in offline engine.
 */
export function engineFor(config: EngineConfig): AnswerEngine {
  const apiKey = config.openAiApiKey?.trim();
  const baseURL = config.openAiBaseUrl?.trim();
  if (!apiKey && !baseURL) return builtInEngine();
  return openAiEngine({
    apiKey: apiKey || keyOfKeylessEndpoint,
    baseURL: baseURL || undefined,
    model: config.openAiModel?.trim() || defaultModel,
  });
}
