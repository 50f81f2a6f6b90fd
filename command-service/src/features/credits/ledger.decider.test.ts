import {
  ChargeCredits,
  ExpireReservation,
  ExtendReservation,
  GrantCredits,
  PostAdjustment,
  PurchaseCredits,
  RefundCharge,
  ReleaseReservation,
  ReserveCredits,
  ReversePayment,
  SetSpendLimit,
} from '@tallyhand/contracts/features/credits/credits.commands';
import {
  AdjustmentPosted,
  CreditsCharged,
  CreditsGranted,
  CreditsPurchased,
  CreditsRefunded,
  CreditsReserved,
  PaymentReinstated,
  PaymentReversed,
  ReservationExpired,
  ReservationExtended,
  ReservationReleased,
  SpendLimitSet,
  UnbilledUsageRecorded,
} from '@tallyhand/contracts/features/credits/credits.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { RECORDED_AT, rulesOf } from '../../kit/testing/given.ts';
import { ledgerStream } from './ledger.decider.ts';
import { availableIn } from './ledger-state.ts';

const organizationId = derivedId('organization');
const grantId = derivedId('grant');
const reservationId = derivedId('task');
const lateId = derivedId(reservationId, 'late');
const paymentId = derivedId('payment');
const adjustmentId = derivedId('adjustment');
const agentId = derivedId('agent');
const memberId = derivedId('member');
const expiresAt = '2026-11-21T08:30:00.000Z';
const later = '2026-11-21T08:40:00.000Z';
const decided = { reason: 'The answer was wrong', approver: 'Ada Berg' };

const termsFor = (id: string) => ({
  work: { kind: 'task' as const, id },
  workType: 'query' as const,
  agentId,
  memberId,
});

const grant = (amount: number, id = grantId) =>
  GrantCredits({ organizationId, grantId: id, amount, reason: 'sign-up' });
const purchase = (amount: number) =>
  PurchaseCredits({ organizationId, paymentId, amount, paidCents: 4900, currency: 'usd' });
const reverse = (reversed: number) =>
  ReversePayment({ organizationId, paymentId, reversed, cause: 'refund' });
const reserve = (amount: number, at = RECORDED_AT) =>
  ReserveCredits({
    organizationId,
    reservationId,
    amount,
    at,
    expiresAt,
    ...termsFor(reservationId),
    price: 1,
  });
const extend = (until: string) =>
  ExtendReservation({ organizationId, reservationId, expiresAt: until });
const charge = () => ChargeCredits({ organizationId, reservationId });
const release = () => ReleaseReservation({ organizationId, reservationId, reason: 'work-failed' });
const expire = (at: string) => ExpireReservation({ organizationId, reservationId, at });
const refund = () => RefundCharge({ organizationId, reservationId, ...decided });
const adjust = (amount: number) =>
  PostAdjustment({ organizationId, adjustmentId, amount, ...decided });
const limit = (monthlyCredits: number | null, scope = { kind: 'agent' as const, id: agentId }) =>
  SetSpendLimit({ organizationId, scope, monthlyCredits, setBy: memberId });

const granted = (amount: number, id = grantId) =>
  CreditsGranted({ organizationId, grantId: id, amount, reason: 'sign-up' });
const purchased = (amount: number) =>
  CreditsPurchased({ organizationId, paymentId, amount, paidCents: 4900, currency: 'usd' });
const reversed = (amount: number) =>
  PaymentReversed({ organizationId, paymentId, amount, cause: 'refund' });
const reinstated = (amount: number) => PaymentReinstated({ organizationId, paymentId, amount });
const reserved = (amount: number, id = reservationId) =>
  CreditsReserved({
    organizationId,
    amount,
    expiresAt,
    reservationId: id,
    price: 1,
    ...termsFor(id === lateId ? reservationId : id),
  });
const ended = (amount: number, id = reservationId) => ({
  organizationId,
  reservationId: id,
  amount,
  ...termsFor(id === lateId ? reservationId : id),
});
const extended = (until: string) =>
  ReservationExtended({ organizationId, reservationId, expiresAt: until });
const charged = (amount: number, id = reservationId) =>
  CreditsCharged({ ...ended(amount, id), price: 1 });
const released = (amount: number) =>
  ReservationReleased({ ...ended(amount), reason: 'work-failed' });
const expired = (amount: number) => ReservationExpired(ended(amount));
const unbilled = (amount: number) => UnbilledUsageRecorded(ended(amount));
const refunded = (amount: number) => CreditsRefunded({ ...ended(amount), ...decided });
const adjusted = (amount: number) =>
  AdjustmentPosted({ organizationId, adjustmentId, amount, ...decided });
const limited = (
  monthlyCredits: number | null,
  scope: { kind: 'agent' | 'member'; id: string } = { kind: 'agent', id: agentId },
) => SpendLimitSet({ organizationId, scope, monthlyCredits, setBy: memberId });

const given = rulesOf(ledgerStream);

describe('GrantCredits', () => {
  it('adds the credits to the ledger', () => {
    given().when(grant(100)).thenAppended(granted(100));
  });
  it('adds each grant on top of those before it', () => {
    const second = derivedId('second grant');
    given(granted(100)).when(grant(20, second)).thenAppended(granted(20, second));
    expect(availableIn(given(granted(100), granted(20, second)).state())).toBe(120);
  });
  it('does nothing the second time it arrives', () => {
    given(granted(100)).when(grant(100)).thenNothing();
  });
});

describe('ReserveCredits', () => {
  it('sets the credits aside when the balance covers them', () => {
    given(granted(100)).when(reserve(60)).thenAppended(reserved(60));
  });
  it('can reserve the very last credit', () => {
    given(granted(100), reserved(99, derivedId('other')))
      .when(reserve(1))
      .thenAppended(reserved(1));
  });
  it('is refused when the balance is one credit short', () => {
    given(granted(100), reserved(60, derivedId('other')))
      .when(reserve(41))
      .thenRefused('insufficient-credits', { available: 40, requested: 41 });
  });
  it('is refused on a ledger to which nothing was ever granted', () => {
    given().when(reserve(1)).thenRefused('insufficient-credits', { available: 0, requested: 1 });
  });
  it('does nothing the second time it arrives, even when nothing is left', () => {
    given(granted(60), reserved(60)).when(reserve(60)).thenNothing();
  });
  it('does nothing when it arrives again after its charge', () => {
    given(granted(60), reserved(60), charged(60)).when(reserve(60)).thenNothing();
  });
  it('is refused after its release: released credits pay for nothing', () => {
    given(granted(60), reserved(60), released(60))
      .when(reserve(60))
      .thenRefused('reservation-settled', { outcome: 'released' });
  });
  it('is refused when its id belongs to another amount', () => {
    given(granted(100), reserved(60)).when(reserve(61)).thenRefused('reservation-differs');
    given(granted(100), reserved(60), charged(60))
      .when(reserve(1))
      .thenRefused('reservation-differs');
  });
});

describe('ChargeCredits', () => {
  it('spends the reserved credits', () => {
    given(granted(100), reserved(60)).when(charge()).thenAppended(charged(60));
    const { posted, reserved: open } = given(granted(100), reserved(60), charged(60)).state();
    expect([posted, open]).toEqual([40, 0]);
  });
  it('is refused when nothing was reserved', () => {
    given(granted(100)).when(charge()).thenRefused('reservation-not-found');
  });
  it('is refused after the release', () => {
    given(granted(100), reserved(60), released(60))
      .when(charge())
      .thenRefused('reservation-settled', { outcome: 'released' });
  });
  it('does nothing the second time it arrives', () => {
    given(granted(100), reserved(60), charged(60)).when(charge()).thenNothing();
  });
});

describe('ReleaseReservation', () => {
  it('makes the reserved credits available again', () => {
    given(granted(100), reserved(60)).when(release()).thenAppended(released(60));
    expect(availableIn(given(granted(100), reserved(60), released(60)).state())).toBe(100);
  });
  it('is refused when nothing was reserved', () => {
    given(granted(100)).when(release()).thenRefused('reservation-not-found');
  });
  it('is refused after the charge', () => {
    given(granted(100), reserved(60), charged(60))
      .when(release())
      .thenRefused('reservation-settled', { outcome: 'charged' });
  });
  it('does nothing the second time it arrives', () => {
    given(granted(100), reserved(60), released(60)).when(release()).thenNothing();
  });
});

describe('PurchaseCredits', () => {
  it('adds the purchased credits', () => {
    given().when(purchase(100)).thenAppended(purchased(100));
  });
  it('does nothing the second time it arrives', () => {
    given(purchased(100)).when(purchase(100)).thenNothing();
    given(purchased(100), reversed(100)).when(purchase(100)).thenNothing();
  });
  it('is refused when the payment bought another number', () => {
    given(purchased(100)).when(purchase(500)).thenRefused('purchase-differs');
  });
});

describe('ReversePayment', () => {
  it('withdraws the credits of a refund or dispute, and adds them again when that ends', () => {
    given(purchased(100)).when(reverse(40)).thenAppended(reversed(40));
    given(purchased(100), reversed(40)).when(reverse(100)).thenAppended(reversed(60));
    given(purchased(100), reversed(100)).when(reverse(30)).thenAppended(reinstated(70));
  });
  it('does not count credits that were added again as withdrawn', () => {
    const history = [purchased(100), reversed(100), reinstated(70)];
    expect(availableIn(given(...history).state())).toBe(70);
    given(...history)
      .when(reverse(30))
      .thenNothing();
  });
  it('does nothing when that many credits are withdrawn already', () => {
    given(purchased(100), reversed(40)).when(reverse(40)).thenNothing();
    given().when(reverse(0)).thenNothing();
  });
  it('withdraws spent credits too: the balance falls below zero, and nothing runs', () => {
    const history = [purchased(100), reserved(90), charged(90)];
    given(...history)
      .when(reverse(100))
      .thenAppended(reversed(100));
    expect(availableIn(given(...history, reversed(100)).state())).toBe(-90);
  });
  it('is refused for credits that were never bought, or beyond their number', () => {
    given(granted(100)).when(reverse(1)).thenRefused('purchase-not-found');
    given(purchased(100)).when(reverse(101)).thenRefused('reversal-too-large', { bought: 100 });
  });
});

describe('ExtendReservation', () => {
  it('extends the reservation', () => {
    given(granted(9), reserved(1)).when(extend(later)).thenAppended(extended(later));
  });
  it('never makes it shorter, and does nothing the second time it arrives', () => {
    given(granted(9), reserved(1), extended(later)).when(extend(expiresAt)).thenNothing();
    given(granted(9), reserved(1), extended(later)).when(extend(later)).thenNothing();
  });
  it('is refused when the reservation has ended', () => {
    given().when(extend(later)).thenRefused('reservation-not-found');
    given(granted(9), reserved(1), expired(1))
      .when(extend(later))
      .thenRefused('reservation-expired');
    given(granted(9), reserved(1), charged(1))
      .when(extend(later))
      .thenRefused('reservation-settled', { outcome: 'charged' });
    given(granted(9), reserved(1), expired(1), unbilled(1))
      .when(extend(later))
      .thenRefused('reservation-settled', { outcome: 'unbilled' });
  });
});

describe('ExpireReservation', () => {
  it('makes the reserved credits available again when its time has passed', () => {
    given(granted(9), reserved(2)).when(expire(later)).thenAppended(expired(2));
    given(granted(9), reserved(2)).when(expire(expiresAt)).thenAppended(expired(2));
    expect(availableIn(given(granted(9), reserved(2), expired(2)).state())).toBe(9);
  });
  it('does nothing before that, also when the time was moved on meanwhile', () => {
    given(granted(9), reserved(2)).when(expire(RECORDED_AT)).thenNothing();
    given(granted(9), reserved(2), extended(later)).when(expire(expiresAt)).thenNothing();
  });
  it('does nothing the second time it arrives', () => {
    given(granted(9), reserved(2), expired(2)).when(expire(later)).thenNothing();
  });
  it('is refused after another end', () => {
    given(granted(9), reserved(2), charged(2))
      .when(expire(later))
      .thenRefused('reservation-settled', { outcome: 'charged' });
  });
});

describe('a charge that comes after the expiry', () => {
  const late = [granted(9), reserved(2), expired(2)];
  it('is paid from the current balance, down to the last credit', () => {
    given(...late)
      .when(charge())
      .thenAppended(reserved(2, lateId), charged(2, lateId));
    given(...late, reserved(7, derivedId('other')))
      .when(charge())
      .thenAppended(reserved(2, lateId), charged(2, lateId));
  });
  it('is recorded as unbilled if no credits are left: the balance never falls below zero', () => {
    given(...late, reserved(8, derivedId('other')))
      .when(charge())
      .thenAppended(unbilled(2));
  });
  it('does nothing the second time it arrives', () => {
    given(...late, reserved(2, lateId), charged(2, lateId))
      .when(charge())
      .thenNothing();
    given(...late, unbilled(2))
      .when(charge())
      .thenNothing();
  });
  it('cannot be reserved again', () => {
    given(...late)
      .when(reserve(2))
      .thenRefused('reservation-expired');
  });
  it('is nothing to release', () => {
    given(...late)
      .when(release())
      .thenNothing();
  });
});

describe('RefundCharge', () => {
  it('refunds a charge, and records who is responsible', () => {
    given(granted(9), reserved(2), charged(2)).when(refund()).thenAppended(refunded(2));
    expect(availableIn(given(granted(9), reserved(2), charged(2), refunded(2)).state())).toBe(9);
  });
  it('does nothing the second time it arrives', () => {
    given(granted(9), reserved(2), charged(2), refunded(2)).when(refund()).thenNothing();
  });
  it('is refused without a charge', () => {
    given(granted(9)).when(refund()).thenRefused('charge-not-found');
    given(granted(9), reserved(2), released(2)).when(refund()).thenRefused('charge-not-found');
  });
});

describe('PostAdjustment', () => {
  it('corrects the balance up or down', () => {
    given(granted(9)).when(adjust(5)).thenAppended(adjusted(5));
    given(granted(9)).when(adjust(-12)).thenAppended(adjusted(-12));
    expect(availableIn(given(granted(9), adjusted(-12)).state())).toBe(-3);
  });
  it('does nothing the second time it arrives', () => {
    given(granted(9), adjusted(5)).when(adjust(5)).thenNothing();
  });
});

describe('a spend limit', () => {
  const other = { kind: 'member' as const, id: memberId };
  it('is set, changed and removed', () => {
    given().when(limit(10)).thenAppended(limited(10));
    given(limited(10)).when(limit(20)).thenAppended(limited(20));
    given(limited(10)).when(limit(null)).thenAppended(limited(null));
    given(granted(99), limited(1), limited(null)).when(reserve(2)).thenAppended(reserved(2));
  });
  it('does nothing when the limit is already set', () => {
    given(limited(10)).when(limit(10)).thenNothing();
    given().when(limit(null)).thenNothing();
  });
  it('lets the agent spend up to it, and not one credit more', () => {
    given(granted(99), limited(10), reserved(8, derivedId('other')))
      .when(reserve(2))
      .thenAppended(reserved(2));
    given(granted(99), limited(10), reserved(8, derivedId('other')))
      .when(reserve(3))
      .thenRefused('spend-limit-reached', { scope: 'agent', limit: 10, spent: 8, requested: 3 });
  });
  it('holds for a member as for an agent', () => {
    given(granted(99), limited(1, other))
      .when(reserve(2))
      .thenRefused('spend-limit-reached', { scope: 'member', limit: 1, spent: 0, requested: 2 });
  });
  it('does not count released, expired or refunded reservations', () => {
    given(granted(99), limited(10), reserved(9), released(9))
      .when({ ...reserve(10), data: { ...reserve(10).data, reservationId: lateId } })
      .thenAppended({
        ...reserved(10, lateId),
        data: { ...reserved(10, lateId).data, work: { kind: 'task', id: reservationId } },
      });
    const { spending } = given(granted(99), reserved(9), charged(9), refunded(9)).state();
    expect([...spending.byScope.values()]).toEqual([0, 0]);
  });
  it('starts again with each calendar month, in UTC', () => {
    const nextMonth = '2026-12-01T00:00:00.000Z';
    given(granted(99), limited(10), reserved(10, derivedId('other')))
      .when(reserve(10, nextMonth))
      .thenAppended(reserved(10));
  });
  it('counts the whole of a month', () => {
    given(granted(99), limited(10), reserved(10, derivedId('other')))
      .when(reserve(1, '2026-11-30T23:59:59.999Z'))
      .thenRefused('spend-limit-reached', { scope: 'agent', limit: 10, spent: 10, requested: 1 });
  });
});
