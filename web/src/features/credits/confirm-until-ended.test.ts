import { describe, expect, it } from 'vitest';
import { networkProblem, problemOf } from '../../app/problem.ts';
import { confirmUntilEnded } from './confirm-until-ended.ts';

const problem = (status: number, code: string) =>
  problemOf(status, { type: 'about:blank', title: code, status, detail: code, code });
const pending = { error: problem(409, 'payment-pending') };
const failed = { error: problem(402, 'payment-failed') };
const succeeded = { data: { status: 'succeeded' } };

/** Confirms with these answers in turn; returns the outcome and the number of waits. */
async function confirmWith(answers: readonly { data?: unknown; error?: unknown }[]) {
  const left = [...answers];
  const waits: number[] = [];
  const outcome = await confirmUntilEnded(async () => left.shift() ?? pending, {
    everyMs: 2_000,
    attemptsMax: 4,
    wait: async (ms) => void waits.push(ms),
  });
  return { outcome, waits, asked: answers.length - left.length };
}

describe('confirming a purchase', () => {
  it('asks once when the payment has already ended', async () => {
    const { outcome, waits } = await confirmWith([succeeded]);
    expect(outcome).toEqual({ kind: 'ended', answer: { status: 'succeeded' } });
    expect(waits).toEqual([]);
  });
  it('asks again while the payment is pending', async () => {
    const { outcome, waits } = await confirmWith([pending, pending, succeeded]);
    expect(outcome.kind).toBe('ended');
    expect(waits).toEqual([2_000, 2_000]);
  });
  it('ends at a refusal', async () => {
    const { outcome, asked } = await confirmWith([pending, failed, succeeded]);
    expect(outcome).toMatchObject({ kind: 'refused', problem: { code: 'payment-failed' } });
    expect(asked).toBe(2);
  });
  it('outlives a lost connection and an unavailable server', async () => {
    const lost = { error: networkProblem() };
    const { outcome } = await confirmWith([lost, { error: problem(503, 'behind') }, succeeded]);
    expect(outcome.kind).toBe('ended');
  });
  it('gives up after a number of calls, and reports that the payment is pending', async () => {
    const { outcome, waits } = await confirmWith([]);
    expect(outcome).toEqual({ kind: 'pending' });
    expect(waits).toHaveLength(3);
  });
  it('gives up with the reason if the server never answered', async () => {
    const lost = { error: networkProblem() };
    const { outcome } = await confirmWith([lost, lost, lost, lost]);
    expect(outcome).toMatchObject({ kind: 'refused', problem: { code: 'network' } });
  });
});
