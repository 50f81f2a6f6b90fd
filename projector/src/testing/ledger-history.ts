import {
  AdjustmentPosted,
  CreditsCharged,
  CreditsGranted,
  CreditsPurchased,
  CreditsRefunded,
  CreditsReserved,
  type LedgerEvent,
  PaymentReinstated,
  PaymentReversed,
  ReservationExpired,
  ReservationExtended,
  ReservationReleased,
  SpendLimitSet,
  UnbilledUsageRecorded,
} from '@tallyhand/contracts/features/credits/credits.events';
import { WORK_TYPES } from '@tallyhand/contracts/features/credits/paid-work';
import fc from 'fast-check';

export const agentId = '0190b5a0-0000-7000-8000-00000000000a';
export const memberId = '0190b5a0-0000-7000-8000-00000000000b';
const EXPIRES_AT = '2026-11-21T09:00:00.000Z';

/** The terms in each event of a reservation of `amount`. */
export const termsOf = (organizationId: string, reservationId: string, amount = 1) => ({
  organizationId,
  reservationId,
  amount,
  agentId,
  memberId,
  work: { kind: 'task' as const, id: reservationId },
  workType: 'query' as const,
});

/** The events of a charged reservation. */
export function charged(organizationId: string, reservationId: string, amount = 1): LedgerEvent[] {
  const terms = { ...termsOf(organizationId, reservationId, amount), price: amount };
  return [CreditsReserved({ ...terms, expiresAt: EXPIRES_AT }), CreditsCharged(terms)];
}

export const granted = (organizationId: string, amount: number): LedgerEvent =>
  CreditsGranted({ organizationId, grantId: crypto.randomUUID(), amount, reason: 'sign-up' });

const makers = (organizationId: string) => {
  const decided = { reason: 'Goodwill', approver: 'Ada' };
  type Terms = ReturnType<typeof termsOf>;
  const payment = (id: string, amount: number) => ({ organizationId, paymentId: id, amount });
  return [
    ({ amount }: Terms) => granted(organizationId, amount),
    ({ amount, reservationId: id }: Terms) =>
      CreditsPurchased({ ...payment(id, amount), paidCents: 4_900, currency: 'usd' }),
    (terms: Terms) => CreditsReserved({ ...terms, price: 1, expiresAt: EXPIRES_AT }),
    ({ reservationId }: Terms) =>
      ReservationExtended({ organizationId, reservationId, expiresAt: EXPIRES_AT }),
    (terms: Terms) => CreditsCharged({ ...terms, price: 1 }),
    (terms: Terms) => ReservationReleased({ ...terms, reason: 'work-failed' }),
    (terms: Terms) => ReservationExpired(terms),
    (terms: Terms) => UnbilledUsageRecorded(terms),
    (terms: Terms) => CreditsRefunded({ ...terms, ...decided }),
    ({ amount, reservationId: id }: Terms) =>
      PaymentReversed({ ...payment(id, amount), cause: 'refund' }),
    ({ amount, reservationId: id }: Terms) => PaymentReinstated(payment(id, amount)),
    ({ amount, reservationId: id }: Terms) =>
      AdjustmentPosted({ organizationId, adjustmentId: id, amount, ...decided }),
    ({ amount, reservationId: id }: Terms) =>
      AdjustmentPosted({ organizationId, adjustmentId: id, amount: -amount, ...decided }),
    ({ amount }: Terms) =>
      SpendLimitSet({
        organizationId,
        setBy: memberId,
        monthlyCredits: amount % 5 ? amount : null,
        scope: { kind: amount % 2 ? 'agent' : 'member', id: agentId },
      }),
  ] satisfies ((terms: Terms) => LedgerEvent)[];
};

/** Any events of a ledger in any order: rows must add up whatever the decider allows. */
export const anyHistory = (organizationId: string, maxLength = 60): fc.Arbitrary<LedgerEvent[]> => {
  const all = makers(organizationId);
  const step = fc.record({
    maker: fc.integer({ min: 0, max: all.length - 1 }),
    amount: fc.integer({ min: 1, max: 1_000_000 }),
    workType: fc.constantFrom(...WORK_TYPES),
    memberId: fc.constantFrom(memberId, null),
    id: fc.uuid({ version: 7 }),
  });
  return fc.array(step, { minLength: 1, maxLength }).map((steps) =>
    steps.flatMap(({ maker, amount, id, ...rest }) => {
      const make = all[maker];
      return make ? [make({ ...termsOf(organizationId, id, amount), ...rest } as never)] : [];
    }),
  );
};
