import {
  ChargeCredits,
  ReserveCreditsTogether,
} from '@tallyhand/contracts/features/credits/credits.commands';
import {
  CreditsCharged,
  CreditsGranted,
  CreditsReserved,
  ReservationReleased,
  SpendLimitSet,
} from '@tallyhand/contracts/features/credits/credits.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { RECORDED_AT, rulesOf } from '../../kit/testing/given.ts';
import { ledgerStream } from './ledger.decider.ts';

const organizationId = derivedId('organization');
const agentId = derivedId('agent');
const memberId = derivedId('member');
const expiresAt = '2026-11-21T08:30:00.000Z';
const [first, second, third] = [derivedId('1'), derivedId('2'), derivedId('3')];

const termsFor = (reservationId: string, amount: number) => ({
  organizationId,
  reservationId,
  amount,
  work: { kind: 'task' as const, id: reservationId },
  workType: 'query' as const,
  agentId,
  memberId,
});

const together = (...parts: (readonly [string, number])[]) =>
  ReserveCreditsTogether({
    organizationId,
    workType: 'query',
    agentId,
    memberId,
    at: RECORDED_AT,
    expiresAt,
    parts: parts.map(([id, amount]) => ({
      reservationId: id,
      amount,
      work: { kind: 'task', id },
      price: amount,
    })),
  });

const granted = (amount: number) =>
  CreditsGranted({ organizationId, grantId: derivedId('grant'), amount, reason: 'sign-up' });
const reserved = (id: string, amount: number) =>
  CreditsReserved({ ...termsFor(id, amount), price: amount, expiresAt });
const charged = (id: string, amount: number) =>
  CreditsCharged({ ...termsFor(id, amount), price: amount });
const limitedTo = (monthlyCredits: number) =>
  SpendLimitSet({
    organizationId,
    scope: { kind: 'agent', id: agentId },
    monthlyCredits,
    setBy: memberId,
  });

const given = rulesOf(ledgerStream);

describe('ReserveCreditsTogether', () => {
  it('sets the credits of all parts aside, each under its own id', () => {
    given(granted(100))
      .when(together([first, 60], [second, 1], [third, 39]))
      .thenAppended(reserved(first, 60), reserved(second, 1), reserved(third, 39));
  });
  it('reserves nothing when the balance is one credit short of all', () => {
    given(granted(100))
      .when(together([first, 60], [second, 41]))
      .thenRefused('insufficient-credits', { available: 100, requested: 101 });
  });
  it('reserves nothing when the sum is over a spend limit', () => {
    given(granted(100), limitedTo(10))
      .when(together([first, 6], [second, 5]))
      .thenRefused('spend-limit-reached', { scope: 'agent', limit: 10, spent: 0, requested: 11 });
  });
  it('settles each part by itself', () => {
    const history = [granted(100), reserved(first, 60), reserved(second, 1)];
    given(...history)
      .when(ChargeCredits({ organizationId, reservationId: second }))
      .thenAppended(charged(second, 1));
    const after = given(...history, charged(second, 1)).state();
    expect([after.posted, after.reserved]).toEqual([99, 60]);
  });
  it('reserves only what is missing when it arrives again', () => {
    given(granted(61), reserved(first, 60))
      .when(together([first, 60], [second, 1]))
      .thenAppended(reserved(second, 1));
    given(granted(61), reserved(first, 60), reserved(second, 1))
      .when(together([first, 60], [second, 1]))
      .thenNothing();
  });
  it('is refused once a part was released', () => {
    const released = ReservationReleased({ ...termsFor(second, 60), reason: 'work-failed' });
    given(granted(60), reserved(second, 60), released)
      .when(together([first, 1], [second, 60]))
      .thenRefused('reservation-settled', { outcome: 'released' });
  });
});
