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
    return new EngineFailure('model-output-invalid', 'The model sent far too long an answer.');
  }
  if (error instanceof APIUserAbortError || error instanceof APIConnectionTimeoutError)
    return timedOut();
  if (error instanceof SyntaxError) {
    return new EngineFailure(
      'model-output-invalid',
      'The model sent an answer that could not be read.',
    );
  }
  const status = error instanceof APIError ? error.status : undefined;
  if (status === undefined) {
    return new EngineFailure('model-unavailable', 'The model could not be reached.');
  }
  return failureOfStatus(status);
}

export function timedOut(): EngineFailure {
  return new EngineFailure('model-timeout', 'The model did not answer in time.');
}

function failureOfStatus(status: number): EngineFailure {
  if (status === 401 || status === 403) {
    return new EngineFailure('model-rejected', `The model's endpoint refused the key (${status}).`);
  }
  if (status === 404) {
    return new EngineFailure(
      'model-rejected',
      "The model or its endpoint's address is unknown (404).",
    );
  }
  if (status === 429) {
    return new EngineFailure(
      'model-unavailable',
      'The model is busy or its quota is used up (429).',
    );
  }
  if (status === 408 || status === 409 || status >= 500) {
    return new EngineFailure(
      'model-unavailable',
      `The model is not available at the moment (${status}).`,
    );
  }
  return new EngineFailure(
    'model-rejected',
    `The model's endpoint refused the request (${status}).`,
  );
}

function hasInChain(error: unknown, kind: typeof AnswerTooLarge): boolean {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if (at instanceof kind) return true;
    at = at.cause;
  }
  return false;
}
