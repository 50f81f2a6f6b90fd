import { counter } from './counter.ts';
import { histogram } from './histogram.ts';

const durations = histogram({
  name: 'tallyhand_model_call_duration_seconds',
  help: "How long the model took, retries included, by what it was asked for and the call's end.",
  bounds: [0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60],
});
const tokens = counter({
  name: 'tallyhand_model_tokens_total',
  help: 'Tokens of model calls by direction; cached is part of input. Estimated if not counted.',
});

/** One model call: its purpose, `answered` or the code of its failure, seconds, and tokens. */
export function countModelCall(call: {
  readonly purpose: string;
  readonly outcome: string;
  readonly seconds: number;
  readonly usage: {
    readonly inputTokens: number;
    readonly cachedTokens: number;
    readonly outputTokens: number;
  } | null;
}): void {
  const { purpose, outcome, seconds, usage } = call;
  durations.observe({ purpose, outcome }, seconds);
  if (!usage) return;
  tokens.add({ purpose, direction: 'input' }, usage.inputTokens);
  tokens.add({ purpose, direction: 'cached' }, usage.cachedTokens);
  tokens.add({ purpose, direction: 'output' }, usage.outputTokens);
}

const requests = counter({
  name: 'tallyhand_outbound_requests_total',
  help: 'Requests to places that people named, by outcome; refused is what the guard let not out.',
  known: ['answered', 'failed', 'refused'].map((outcome) => ({ outcome, reason: 'none' })),
});

/** One request: why it failed or was refused, or `none`. */
export const countOutbound = (outcome: string, reason: string): void =>
  requests.add({ outcome, reason });
