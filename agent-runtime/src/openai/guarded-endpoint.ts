import { WorkCancelled } from '@tallyhand/contracts/features/tasks/work-failures';
import { EngineFailure } from '../engine.ts';
import type { OutboundPolicy } from '../guard/destination.ts';
import { fetchThroughGuard } from '../guard/fetch-through-guard.ts';
import { OutboundFailed } from '../guard/outbound-errors.ts';
import { AnswerTooLarge, timedOut } from './model-calls.ts';

const BYTES_MAX = 4_000_000;

/** `fetch` for endpoints of models that an organization has entered. */
export const guardedEndpointFetch = (
  policy: OutboundPolicy,
  totalMs: number,
  headersMs: number,
): typeof fetch =>
  fetchThroughGuard(policy, { totalMs, headersMs, bodyBytes: BYTES_MAX }, translated);

/** Failures that callers of models know; all others count as an unreachable endpoint. */
function translated(error: unknown): unknown {
  if (!(error instanceof OutboundFailed)) return error;
  if (error.kind === 'too-large') return new AnswerTooLarge();
  if (error.kind === 'timeout') return timedOut();
  return error.kind === 'aborted' ? new EngineFailure(WorkCancelled({})) : error;
}
