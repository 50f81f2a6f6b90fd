import type { LedgerCommand } from '@tallyhand/contracts/features/credits/credits.commands';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import fc from 'fast-check';

export const organizationId = derivedId('organization');

/** A command and when it arrives. */
export type Step = { readonly command: LedgerCommand; readonly at: string };

// Few ids and small amounts, so that commands meet: repeats, shortages and late ends are common.
const id = (what: string, max = 7) =>
  fc.integer({ min: 0, max }).map((n) => derivedId(what, String(n)));
const amount = fc.integer({ min: 1, max: 12 });
const minute = fc.integer({ min: 0, max: 59 }).map((n) => String(n).padStart(2, '0'));
// The clock crosses the end of a month, and goes backwards now and then.
const moment = fc
  .tuple(fc.constantFrom('2026-11-30T23', '2026-12-01T00'), minute)
  .map(([hour, minutes]) => `${hour}:${minutes}:00.000Z`);
const decided = { reason: 'a mistake of ours', approver: 'Ada' };

const kinds: fc.Arbitrary<LedgerCommand>[] = [
  fc.record({ grantId: id('grant', 3), amount }).map((data) => ({
    type: 'GrantCredits',
    data: { organizationId, ...data, reason: 'sign-up' },
  })),
  fc.record({ paymentId: id('payment', 3), amount }).map((data) => ({
    type: 'PurchaseCredits',
    data: { organizationId, ...data, paidCents: data.amount * 49, currency: 'usd' },
  })),
  fc
    .record({ paymentId: id('payment', 3), reversed: fc.integer({ min: 0, max: 13 }) })
    .map((data) => ({
      type: 'ReversePayment',
      data: { organizationId, ...data, cause: 'refund' },
    })),
  fc
    .record({ adjustmentId: id('adjustment', 3), amount: fc.integer({ min: -9, max: 9 }) })
    .filter((data) => data.amount !== 0)
    .map((data) => ({ type: 'PostAdjustment', data: { organizationId, ...data, ...decided } })),
  fc
    .record({
      kind: fc.constantFrom('agent' as const, 'member' as const),
      who: fc.integer({ min: 0, max: 1 }),
      monthlyCredits: fc.option(fc.integer({ min: 0, max: 20 })),
    })
    .map(({ kind, who, monthlyCredits }) => ({
      type: 'SetSpendLimit',
      data: {
        organizationId,
        scope: { kind, id: derivedId(kind, String(who)) },
        monthlyCredits,
        setBy: derivedId('member', '0'),
      },
    })),
  ...['ChargeCredits' as const, 'ChargeCredits' as const, 'RefundCharge' as const].map((type) =>
    id('work').map((reservationId): LedgerCommand => {
      const data = { organizationId, reservationId };
      return type === 'ChargeCredits' ? { type, data } : { type, data: { ...data, ...decided } };
    }),
  ),
  id('work').map((reservationId) => ({
    type: 'ReleaseReservation',
    data: { organizationId, reservationId, reason: 'work-failed' },
  })),
  fc.record({ reservationId: id('work'), expiresAt: moment }).map((data) => ({
    type: 'ExtendReservation',
    data: { organizationId, ...data },
  })),
  fc.record({ reservationId: id('work'), at: moment }).map((data) => ({
    type: 'ExpireReservation',
    data: { organizationId, ...data },
  })),
];

const reserves = fc
  .record({
    reservationId: id('work'),
    amount,
    agentId: id('agent', 1),
    memberId: fc.option(id('member', 1)),
    expiresAt: moment,
    at: moment,
  })
  .map(({ reservationId, ...data }): Step => {
    const work = { kind: 'task' as const, id: reservationId };
    const rest = { organizationId, reservationId, work, workType: 'query' as const, price: 1 };
    return { command: { type: 'ReserveCredits', data: { ...rest, ...data } }, at: data.at };
  });

const reservesTogether = fc
  .record({
    works: fc.uniqueArray(fc.record({ reservationId: id('work'), amount }), {
      selector: ({ reservationId }) => reservationId,
      minLength: 1,
      maxLength: 4,
    }),
    agentId: id('agent', 1),
    memberId: fc.option(id('member', 1)),
    expiresAt: moment,
    at: moment,
  })
  .map(({ works, ...data }): Step => {
    const parts = works.map(({ reservationId, amount: price }) => ({
      reservationId,
      amount: price,
      work: { kind: 'task' as const, id: reservationId },
      price,
    }));
    const asked = { organizationId, workType: 'query' as const, ...data, parts };
    return { command: { type: 'ReserveCreditsTogether', data: asked }, at: data.at };
  });

const others = fc.record({ command: fc.oneof(...kinds), at: moment });

/** Random histories of all the commands of a ledger. */
export const histories = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 5, arbitrary: reserves },
      { weight: 2, arbitrary: reservesTogether },
      { weight: kinds.length, arbitrary: others },
    ),
    { maxLength },
  );
