import { describe, expect, it } from 'vitest';
import { mayRepeat, openAiErrorOf, openAiStatus } from './openai-error.ts';
import {
  DependencyDown,
  InternalFault,
  NotFound,
  type Problem,
  ServerQueueFull,
  TooManyRequests,
  ValidationFailed,
} from './problem.ts';

const problem: Problem = {
  type: 'about:blank',
  title: 'Some fields are invalid',
  status: 422,
  detail: 'messages.0.content: too long.',
  code: 'validation-failed',
  errors: [{ path: 'messages.0.content', message: 'too long' }],
  correlationId: 'c',
};

describe('a problem as an error of OpenAI', () => {
  it("has the problem's code, and the first field as OpenAI writes it", () => {
    expect(openAiErrorOf(problem)).toEqual({
      error: {
        message: problem.detail,
        type: 'invalid_request_error',
        param: 'messages[0].content',
        code: 'validation-failed',
        errors: problem.errors,
        correlationId: 'c',
      },
    });
  });

  it.each([
    [401, 'authentication_error'],
    [402, 'insufficient_quota'],
    [403, 'permission_error'],
    [404, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [503, 'server_error'],
  ])('has a type by its status %i', (status, type) => {
    const { errors: _, ...other } = problem;
    expect(openAiErrorOf({ ...other, status }).error).toMatchObject({ type, param: null });
  });

  it('has status 400 in place of 422, and else its own', () => {
    expect([openAiStatus(422), openAiStatus(402)]).toEqual([400, 402]);
  });
});

describe('a refused call', () => {
  it('may be repeated if it has not begun its work', () => {
    expect(mayRepeat(TooManyRequests({ retryAfterSeconds: 1 }), false)).toBe(true);
    expect(mayRepeat(ServerQueueFull({ retryAfterSeconds: 1 }), false)).toBe(true);
  });

  it('may be repeated after a fault only if that does nothing twice', () => {
    for (const fault of [InternalFault({}), DependencyDown({ what: 'The database' })]) {
      expect([mayRepeat(fault, false), mayRepeat(fault, true)]).toEqual([false, true]);
    }
  });

  it('is not repeated if the next attempt is refused, too', () => {
    expect(mayRepeat(NotFound({ what: 'agent' }), true)).toBe(false);
    expect(mayRepeat(ValidationFailed({ summary: '' }), true)).toBe(false);
  });
});
