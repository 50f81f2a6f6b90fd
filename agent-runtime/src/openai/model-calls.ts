import { tracingChannel } from 'node:diagnostics_channel';
import {
  ModelAnswerTooLong,
  ModelAnswerUnreadable,
  ModelBusy,
  ModelDown,
  ModelKeyRejected,
  ModelRequestRejected,
  ModelTimedOut,
  ModelUnknown,
  ModelUnreachable,
} from '@tallyhand/contracts/features/tasks/work-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import { APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { EngineFailure } from '../engine.ts';

/** The body of an answer exceeds the limit. */
export class AnswerTooLarge extends Error {}

/**
 * The failure for an error of the client. It never contains text of the endpoint, which may include
 * the key.
 */
export function failureFrom(error: unknown): EngineFailure {
  if (error instanceof EngineFailure) return error;
  if (hasInChain(error, AnswerTooLarge)) {
    return new EngineFailure(ModelAnswerTooLong({}));
  }
  if (error instanceof APIUserAbortError || error instanceof APIConnectionTimeoutError)
    return timedOut();
  if (error instanceof SyntaxError) return new EngineFailure(ModelAnswerUnreadable({}));
  const status = error instanceof APIError ? error.status : undefined;
  return new EngineFailure(status === undefined ? ModelUnreachable({}) : saidOfStatus(status));
}

export function timedOut(): EngineFailure {
  return new EngineFailure(ModelTimedOut({}));
}

function saidOfStatus(status: number): Sentence {
  if (status === 401 || status === 403) return ModelKeyRejected({ status });
  if (status === 404) return ModelUnknown({});
  if (status === 429) return ModelBusy({});
  if (status === 408 || status === 409 || status >= 500) return ModelDown({ status });
  return ModelRequestRejected({ status });
}

function hasInChain(error: unknown, kind: typeof AnswerTooLarge): boolean {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if (at instanceof kind) return true;
    at = at.cause;
  }
  return false;
}

/** The outcome of one model call. */
export type ModelCall = {
  readonly purpose: 'answer' | 'plan' | 'embed';
  /** `answered`, or the code of the failure. */
  readonly outcome: string;
  readonly seconds: number;
  /** 0 if unknown. */
  readonly tokens: number;
};

/** Called after each model call; must not throw. */
export type OnModelCall = (call: ModelCall) => void;

/** For following calls while they are running. */
const channel = tracingChannel('tallyhand:model');

/** Runs the call and publishes it. */
export async function observeModelCall<Said>(
  { purpose, onModelCall }: { purpose: ModelCall['purpose']; onModelCall: OnModelCall | undefined },
  call: () => Promise<Said>,
  tokensOf: (said: Said) => number,
): Promise<Said> {
  const started = performance.now();
  const tell = (outcome: ModelCall['outcome'], tokens: number) =>
    onModelCall?.({ purpose, outcome, seconds: (performance.now() - started) / 1_000, tokens });
  try {
    const said = await channel.tracePromise(call, { purpose });
    tell('answered', tokensOf(said));
    return said;
  } catch (error) {
    tell(failureFrom(error).code, 0);
    throw error;
  }
}
