import { AnswerError, ApiError, ConnectionError } from '@tallyhand/client';
import { describe, expect, it } from 'vitest';
import { failureOf, usageError } from './failures.ts';

const refusal = (status: number, problem: object = {}) =>
  new ApiError({
    call: 'agents.create',
    status,
    problem,
    requestId: 'r-1',
    retryAfterMs: undefined,
  });

describe('a failure', () => {
  it('has the exit code of its kind', () => {
    const codes = [401, 402, 403, 404, 409, 412, 422, 429, 500, 503].map(
      (status) => failureOf(refusal(status)).exitCode,
    );
    expect(codes).toEqual([3, 4, 4, 4, 4, 4, 4, 5, 5, 5]);
    expect(failureOf(usageError('No.')).exitCode).toBe(2);
    expect(failureOf(new AnswerError('A page')).exitCode).toBe(5);
    expect(failureOf(new Error('A fault')).exitCode).toBe(1);
  });

  it('shows the message of the API, with the fields that break a rule', () => {
    const errors = [{ path: 'name', message: 'Name must be at least 2 characters' }];
    const problem = { code: 'validation-failed', detail: 'Some fields are invalid.', errors };
    expect(failureOf(refusal(422, problem)).message).toBe(
      'Some fields are invalid.\n  name: Name must be at least 2 characters',
    );
    expect(failureOf(refusal(502)).message).toBe('The server answered 502.\nRequest id: r-1');
  });

  it('explains why no answer came', () => {
    const cause = new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
    const error = new ConnectionError('agents.list: no answer from http://here', { cause });
    expect(failureOf(error).message).toBe(
      'No answer from http://here (ECONNREFUSED). Check the address and your network.',
    );
  });
});
