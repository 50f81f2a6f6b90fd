import type {
  Payment,
  TEST_ACTIONS,
} from '@tallyhand/contracts/features/credits/payments.endpoints';

export type TestAction = (typeof TEST_ACTIONS)[number];
type Known = Pick<
  Payment,
  'provider' | 'hasReceipt' | 'status' | 'disputeOutcome' | 'amount' | 'refundedAmount'
>;

/** What the test provider can do with a payment as it stands; nothing with those of others. */
export function testActionsOf(payment: Known): TestAction[] {
  const { provider, hasReceipt, status, disputeOutcome, amount, refundedAmount } = payment;
  if (provider !== 'test' || !hasReceipt) return [];
  if (disputeOutcome === 'open') return ['win-dispute', 'lose-dispute'];
  if (disputeOutcome === 'lost' || Number(refundedAmount) >= Number(amount)) return [];
  if (status !== 'succeeded' && status !== 'refunded') return [];
  // A payment is disputed once at most.
  return disputeOutcome === 'won' ? ['refund'] : ['refund', 'dispute'];
}
