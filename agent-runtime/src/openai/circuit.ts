import {
  ModelDown,
  ModelPaused,
  ModelTimedOut,
  ModelUnreachable,
} from '@tallyhand/contracts/features/tasks/work-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  noJitterGenerator,
} from 'cockatiel';
import { EngineFailure } from '../engine.ts';

/** Failures in a row that open the circuit. */
const FAILURES_MAX = 5;
/** How long nothing is called. Then one call is made; each that fails doubles the pause. */
const PAUSE_MS = { initialDelay: 5_000, maxDelay: 60_000 };

/** Failures that the next call would have too. A busy model (429) says when it may be called. */
const isDown = (error: unknown) =>
  error instanceof EngineFailure &&
  [ModelUnreachable.key, ModelDown.key, ModelTimedOut.key].includes(keyOf(error.sentence));

const keyOf = ({ code, params: { reason } }: Sentence) => (reason ? `${code}_${reason}` : code);

/**
 * The calls of one endpoint. After several failures in a row they fail at once, so that work neither
 * waits for an endpoint that is down nor keeps it from recovering.
 */
export type Circuit = <Result>(call: () => Promise<Result>) => Promise<Result>;

export function newCircuit(): Circuit {
  const policy = circuitBreaker(handleWhen(isDown), {
    breaker: new ConsecutiveBreaker(FAILURES_MAX),
    halfOpenAfter: new ExponentialBackoff({ ...PAUSE_MS, generator: noJitterGenerator }),
  });
  return async (call) => {
    // One call tries the endpoint: others would wait for it, perhaps until it is timed out.
    if (policy.state === CircuitState.HalfOpen) throw new EngineFailure(ModelPaused({}));
    try {
      return await policy.execute(call);
    } catch (error) {
      throw error instanceof BrokenCircuitError ? new EngineFailure(ModelPaused({})) : error;
    }
  };
}
