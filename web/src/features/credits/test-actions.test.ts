import { describe, expect, it } from 'vitest';
import { testActionsOf } from './test-actions.ts';

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
  it('are none after the money was returned', () => {
    const refunded = { ...paid, status: 'refunded', refundedAmount: '49.00' } as const;
    expect(testActionsOf(refunded)).toEqual([]);
    const lost = { ...paid, status: 'disputed', disputeOutcome: 'lost' } as const;
    expect(testActionsOf(lost)).toEqual([]);
  });
  it('are none on an unpaid or a real payment', () => {
    expect(testActionsOf({ ...paid, status: 'pending', hasReceipt: false })).toEqual([]);
    expect(testActionsOf({ ...paid, provider: 'stripe' })).toEqual([]);
  });
});
