import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeProblem, networkProblem, problemOf } from './problem.ts';

describe('a problem', () => {
  it("has the server's answer, with a message of status and sentence", () => {
    const body = {
      type: 'about:blank',
      title: 'Not enough credits',
      status: 402,
      detail: 'Not enough credits. This needs 1, and you have 0.',
      code: 'insufficient-credits',
      params: { available: 0, requested: 1 },
      correlationId: 'c-1',
    };
    expect(problemOf(402, body)).toMatchObject({
      status: 402,
      code: 'insufficient-credits',
      message: '402: Not enough credits. This needs 1, and you have 0.',
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

describe('the sentence about a problem', () => {
  beforeAll(async () => {
    const problems = {
      'too-many-requests': 'Zu viele Anfragen. Versuchen Sie es {{soon}} erneut.',
      'invitation-not-valid_expired': 'Diese Einladung ist abgelaufen.',
    };
    await i18next.init({ lng: 'de', resources: { de: { problems } } });
  });
  const say = (body: object) => describeProblem(i18next.t, problemOf(400, body));
  const told = { type: 'about:blank', title: 'A title', status: 400, detail: 'A detail.' };

  it("says in the reader's language when to try again, by default in a minute", () => {
    const code = 'too-many-requests';
    const after = (retryAfterSeconds: number) => ({ ...told, code, params: { retryAfterSeconds } });
    expect(say(after(30))).toContain('in 30 Sekunden');
    expect(say(after(121))).toContain('in 3 Minuten');
    expect(say(after(7201))).toContain('in 3 Stunden');
    expect(say({ ...told, code })).toContain('in 60 Sekunden');
  });

  it('distinguishes the reasons of one code', () => {
    const code = 'invitation-not-valid';
    expect(say({ ...told, code, params: { reason: 'expired' } })).toBe(
      'Diese Einladung ist abgelaufen.',
    );
  });

  it('names the failed action when the answer has no reason', () => {
    const notUnderstood = problemOf(502, null);
    expect(describeProblem(i18next.t, notUnderstood, 'Failed to send.')).toBe('Failed to send.');
    const refused = problemOf(400, { ...told, code: 'of-a-newer-server' });
    expect(describeProblem(i18next.t, refused, 'Failed to send.')).toBe('A detail.');
  });

  it("is the server's own when the code, or its reason, has no translation", () => {
    expect(say({ ...told, code: 'of-a-newer-server' })).toBe('A detail.');
    expect(say({ ...told, code: 'invitation-not-valid', params: { reason: 'lost' } })).toBe(
      'A detail.',
    );
  });
});
