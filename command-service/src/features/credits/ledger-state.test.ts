import {
  CreditsCharged,
  CreditsGranted,
  CreditsPurchased,
  CreditsReserved,
  type LedgerEvent,
  PaymentReversed,
  ReservationExpired,
  ReservationReleased,
  SpendLimitSet,
} from '@tallyhand/contracts/features/credits/credits.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { RECORDED_AT } from '../../kit/testing/given.ts';
import { emptyLedger, evolve, type Ledger, loadLedger, saveLedger } from './ledger-state.ts';

const organizationId = derivedId('organization');
const agentId = derivedId('agent');
const memberId = derivedId('member');
const [a, b, c, d] = [derivedId('a'), derivedId('b'), derivedId('c'), derivedId('d')];
const inDecember = '2026-12-01T00:00:00.000Z';

const terms = (reservationId: string, amount = 2) => ({
  organizationId,
  reservationId,
  amount,
  work: { kind: 'task' as const, id: reservationId },
  workType: 'query' as const,
  agentId,
  memberId,
});
const reserved = (id: string, amount?: number, member: string | null = memberId) =>
  CreditsReserved({
    ...terms(id, amount),
    memberId: member,
    price: 1,
    expiresAt: '2026-11-21T08:30:00.000Z',
  });
const charged = (id: string) => CreditsCharged({ ...terms(id), price: 1 });
const released = (id: string, amount?: number) =>
  ReservationReleased({ ...terms(id, amount), reason: 'work-failed' });

const after = (events: readonly LedgerEvent[], at = RECORDED_AT, ledger = emptyLedger()) =>
  events.reduce((state: Ledger, event) => evolve(state, event, at), ledger);

describe('the spending of a month', () => {
  it('is not changed by refunds for an older month', () => {
    const november = after([reserved(a, 9)]);
    const { spending } = after([reserved(b, 5), released(a, 9)], inDecember, november);
    expect([spending.month, ...spending.byScope.values()]).toEqual(['2026-12', 5, 5]);
  });
  it('counts work without a member for the agent alone', () => {
    const { spending } = after([reserved(a, 3, null)]);
    expect([...spending.byScope]).toEqual([[`agent:${agentId}`, 3]]);
  });
});

describe('a settled reservation', () => {
  it('keeps its terms until a thousand others are settled', () => {
    const ids = Array.from({ length: 1_001 }, (_, index) => derivedId(`reservation ${index}`));
    const [first = ''] = ids;
    const settle = (some: readonly string[]) =>
      after(some.flatMap((id) => [reserved(id), charged(id)]));
    expect(settle(ids.slice(0, -1)).recent.has(first)).toBe(true);
    const { recent, settled } = settle(ids);
    expect([recent.size, recent.has(first), settled.has(first)]).toEqual([1_000, false, true]);
  });
});

describe('a snapshot', () => {
  const json = (value: unknown) => JSON.parse(JSON.stringify(value));
  const ledger = after([
    CreditsGranted({ organizationId, grantId: a, amount: 99, reason: 'sign-up' }),
    CreditsPurchased({
      organizationId,
      paymentId: a,
      amount: 100,
      paidCents: 4900,
      currency: 'usd',
    }),
    PaymentReversed({ organizationId, paymentId: a, amount: 40, cause: 'refund' }),
    SpendLimitSet({
      organizationId,
      scope: { kind: 'agent', id: agentId },
      monthlyCredits: 50,
      setBy: memberId,
    }),
    ...[a, b, c, d].map((id) => reserved(id)),
    charged(a),
    released(b),
    ReservationExpired(terms(c)),
  ]);

  it('restores the same ledger', () => {
    expect([...ledger.open.keys()]).toEqual([d]);
    expect(loadLedger(json(saveLedger(ledger)))).toEqual(ledger);
    expect(loadLedger(json(saveLedger(emptyLedger())))).toEqual(emptyLedger());
  });
  it.each([{ outcomes: 'cr' }, { outcomes: 'cr?' }, { amounts: [2, 2] }])(
    'is not used where it lacks the end of a reservation: %j',
    (damage) => {
      const saved = saveLedger(ledger);
      const damaged = { ...saved, settled: { ...saved.settled, ...damage } };
      expect(() => loadLedger(json(damaged))).toThrow(`A saved ledger lacks the end of ${c}`);
    },
  );
});
