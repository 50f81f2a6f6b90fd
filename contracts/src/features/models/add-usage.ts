import type { ModelUsage } from './model-usage.ts';

/** An agent has one model and a fallback. */
export const MODELS_USED_MAX = 10;

/** Adds usage to a list that has one entry for each model. */
export function addUsage(to: readonly ModelUsage[], more: readonly ModelUsage[]): ModelUsage[] {
  const all = new Map<string, ModelUsage>();
  for (const one of [...to, ...more]) {
    const key = `${one.connectionId} ${one.model}`;
    const before = all.get(key);
    all.set(key, before ? sumOf(before, one) : one);
  }
  return [...all.values()].slice(0, MODELS_USED_MAX);
}

function sumOf(a: ModelUsage, b: ModelUsage): ModelUsage {
  const hasPrice = a.costMicros !== null && b.costMicros !== null;
  return {
    connectionId: a.connectionId,
    model: a.model,
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    isEstimated: a.isEstimated || b.isEstimated,
    latencyMs: a.latencyMs + b.latencyMs,
    costMicros: hasPrice ? (a.costMicros ?? 0) + (b.costMicros ?? 0) : null,
  };
}
