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

/** The body of an answer was larger than we read. */
export class AnswerTooLarge extends Error {}

/**
 * What an error of the client means to a person. Nothing of the endpoint's own words gets through:
 * they may hold the key.
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
