import type { AgentModel, ModelChoice } from '@tallyhand/contracts/features/agents/agents.fields';

/**
 * The chosen model with the options of the agent's own. Without a fallback: its answer would count
 * as that of the chosen model.
 */
export function comparedModel(
  own: AgentModel | null,
  chosen: ModelChoice | null,
): AgentModel | null {
  if (!chosen) return null;
  const { temperature = null, maxOutputTokens = null, reasoningEffort = null } = own ?? {};
  return { temperature, maxOutputTokens, reasoningEffort, ...chosen, fallback: null };
}
