import { PaymentRequested } from '@tallyhand/contracts/features/credits/payments.events';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { reportedRuns } from '@tallyhand/test-kit/cases';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RECORDED_AT } from '../../kit/testing/given.ts';
import {
  creditsDue,
  type Payment,
  type PaymentCommand,
  paymentDecider,
} from './payment.decider.ts';

const CENTS = 19_900;
const CREDITS = 500;

const start = () =>
  paymentDecider.evolve(
    paymentDecider.initialState(),
    PaymentRequested({
      paymentId: '0193a1b2-0000-8000-8000-000000000007',
      organizationId: '0193a1b2-0000-7000-8000-000000000001',
      packageId: 'professional',
      credits: CREDITS,
      cents: CENTS,
      currency: 'usd',
      provider: 'stripe',
      requestedBy: '0193a1b2-0000-7000-8000-000000000002',
    }),
    RECORDED_AT,
  );

const cents = fc.integer({ min: -1, max: CENTS + 1 });
const disputeId = fc.constantFrom('dp_1', 'dp_2');

/** What a provider may report about one payment, true or not. */
const command: fc.Arbitrary<PaymentCommand> = fc.oneof(
  fc
    .record({ transactionId: fc.constantFrom('pi_1', 'pi_2'), cents: fc.constantFrom(CENTS, 1) })
    .map((data) => ({ type: 'RecordSuccess' as const, data })),
  fc
    .record({ transactionId: fc.constant('pi_1'), code: fc.constantFrom('declined', 'expired') })
    .map((data) => ({ type: 'RecordFailure' as const, data })),
  cents.map((refundedCents) => ({ type: 'RecordRefund' as const, data: { refundedCents } })),
  fc
    .record({ disputeId, cents: fc.constant(CENTS) })
    .map((data) => ({ type: 'RecordDispute' as const, data })),
  fc
    .record({ disputeId, outcome: fc.constantFrom('won' as const, 'lost' as const) })
    .map((data) => ({ type: 'CloseDispute' as const, data })),
);

/** The same reports twice: as they come, and in another order with some of them repeated. */
const twoOrders = fc.array(command, { minLength: 1, maxLength: 8 }).chain((reports) =>
  fc.record({
    first: fc.constant(reports),
    second: fc.array(fc.constantFrom(...reports), { maxLength: 8 }).chain((repeats) =>
      fc.shuffledSubarray([...reports, ...repeats], {
        minLength: reports.length + repeats.length,
      }),
    ),
  }),
);

function run(reports: readonly PaymentCommand[]) {
  let payment: Payment = start();
  const successes: string[] = [];
  const refunds: number[] = [];
  for (const report of reports) {
    const decided = paymentDecider.decide(report, payment);
    if (isRefusal(decided)) continue;
    for (const event of decided) {
      if (event.type === 'PaymentSucceeded') successes.push(event.data.transactionId);
      payment = paymentDecider.evolve(payment, event, RECORDED_AT);
      refunds.push(payment.refundedCents);
    }
  }
  return { due: creditsDue(payment), successes, refunds };
}

describe('the reports about one payment', () => {
  it('add up to the same credits in every order, however often they are repeated', () => {
    const property = fc.property(twoOrders, ({ first, second }) => {
      expect(run(second).due).toEqual(run(first).due);
    });
    fc.assert(property, reportedRuns(1_000, 100_000));
  }, 600_000);

  it('buy once, and never withdraw more than was bought', () => {
    const property = fc.property(fc.array(command, { maxLength: 20 }), (reports) => {
      const { due, successes, refunds } = run(reports);
      expect(successes.length).toBeLessThanOrEqual(1);
      expect(due.bought).toBe(successes.length * CREDITS);
      expect(due.reversed).toBeGreaterThanOrEqual(0);
      expect(due.reversed).toBeLessThanOrEqual(due.bought);
      expect(refunds).toEqual(refunds.toSorted((a, b) => a - b));
      expect(refunds.at(-1) ?? 0).toBeLessThanOrEqual(CENTS);
    });
    fc.assert(property, reportedRuns(1_000, 100_000));
  }, 600_000);
});
