import { chatModelOf, type EngineConfig } from '../choose-engine.ts';
import type { HearModelCall } from '../openai/told-call.ts';
import { builtInPlanner } from './built-in-planner.ts';
import { openAiPlanner } from './openai-planner.ts';
import type { Planner } from './planner.ts';

/** Plans by the model that answers too: the configured endpoint's, else the built-in engine. */
export function plannerFor(config: EngineConfig, hear?: HearModelCall): Planner {
  const chatModel = chatModelOf(config);
  return chatModel ? openAiPlanner({ ...chatModel, hear }) : builtInPlanner();
}
