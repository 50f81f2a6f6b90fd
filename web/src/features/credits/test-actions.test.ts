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

describe('what the test provider can do with a payment', () => {
  it('is to refund or dispute one that was paid', () => {
    expect(testActionsOf(paid)).toEqual(['refund', 'dispute']);
  });
  it('is to close a dispute that is open', () => {
    const disputed = { ...paid, status: 'disputed', disputeOutcome: 'open' } as const;
    expect(testActionsOf(disputed)).toEqual(['win-dispute', 'lose-dispute']);
  });
  it('is to refund one whose dispute was won, which is not disputed again', () => {
    expect(testActionsOf({ ...paid, disputeOutcome: 'won' })).toEqual(['refund']);
  });
  it('is nothing after the money went back', () => {
    const refunded = { ...paid, status: 'refunded', refundedAmount: '49.00' } as const;
    expect(testActionsOf(refunded)).toEqual([]);
    const lost = { ...paid, status: 'disputed', disputeOutcome: 'lost' } as const;
    expect(testActionsOf(lost)).toEqual([]);
  });
  it('is nothing with a payment that was not paid, or that is real', () => {
    expect(testActionsOf({ ...paid, status: 'pending', hasReceipt: false })).toEqual([]);
    expect(testActionsOf({ ...paid, provider: 'stripe' })).toEqual([]);
  });
});
