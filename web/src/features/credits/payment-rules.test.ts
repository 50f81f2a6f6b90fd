import { describe, expect, it } from 'vitest';
import { networkProblem, problemOf } from '../../app/problem.ts';
import { checkoutTarget, confirmUntilEnded, testActionsOf } from './payment-rules.ts';

const origin = 'http://127.0.0.1:8080';

describe('the page of a payment', () => {
  it("is the provider's page", () => {
    const url = 'https://checkout.stripe.com/c/pay/cs_1';
    expect(checkoutTarget(url, origin)).toEqual({ kind: 'provider', url });
  });
  it('is a path of this site with the test provider, whatever host it is written with', () => {
    const path = '/billing/test-checkout/4f';
    expect(checkoutTarget(path, origin)).toEqual({ kind: 'own', path });
    expect(checkoutTarget(`https://other.example${path}`, origin)).toEqual({ kind: 'own', path });
  });
  it('is never an address that runs a script', () => {
    expect(checkoutTarget('javascript:alert(1)', origin)).toBeUndefined();
    expect(checkoutTarget('https://', origin)).toBeUndefined();
  });
});

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

const paid = {
  provider: 'test',
  hasReceipt: true,
  status: 'succeeded',
  disputeOutcome: null,
  amount: '49.00',
  refundedAmount: '0.00',
} as const;

describe("the test provider's actions on a payment", () => {
  it('are a refund or a dispute of a paid one', () => {
    expect(testActionsOf(paid)).toEqual(['refund', 'dispute']);
  });
  it('include closing an open dispute', () => {
    const disputed = { ...paid, status: 'disputed', disputeOutcome: 'open' } as const;
    expect(testActionsOf(disputed)).toEqual(['win-dispute', 'lose-dispute']);
  });
  it('include refunding one whose dispute was won, but not another dispute', () => {
    expect(testActionsOf({ ...paid, disputeOutcome: 'won' })).toEqual(['refund']);
  });
  it('are empty after the money was returned', () => {
    const refunded = { ...paid, status: 'refunded', refundedAmount: '49.00' } as const;
    expect(testActionsOf(refunded)).toEqual([]);
    const lost = { ...paid, status: 'disputed', disputeOutcome: 'lost' } as const;
    expect(testActionsOf(lost)).toEqual([]);
  });
  it('are empty for an unpaid or a real payment', () => {
    expect(testActionsOf({ ...paid, status: 'pending', hasReceipt: false })).toEqual([]);
    expect(testActionsOf({ ...paid, provider: 'stripe' })).toEqual([]);
  });
});
