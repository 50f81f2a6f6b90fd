import { describe, expect, it } from 'vitest';
import { networkProblem, problemOf } from './problem.ts';

describe('a problem', () => {
  it('carries what the server told, with a message of status and sentence', () => {
    const body = {
      type: 'about:blank',
      title: 'Not enough credits',
      status: 402,
      detail: 'Not enough credits: this needs 1, you have 0.',
      code: 'insufficient-credits',
      params: { available: 0, requested: 1 },
      correlationId: 'c-1',
    };
    expect(problemOf(402, body)).toMatchObject({
      status: 402,
      code: 'insufficient-credits',
      message: '402: Not enough credits: this needs 1, you have 0.',
      correlationId: 'c-1',
      errors: [],
    });
  });
  it('keeps the status of an answer that is no problem document', () => {
    expect(problemOf(502, null, 'c-2')).toMatchObject({
      status: 502,
      code: 'unknown',
      correlationId: 'c-2',
    });
  });
  it('has status 0 where no answer came', () => {
    expect(networkProblem()).toMatchObject({ status: 0, code: 'network' });
  });
});
