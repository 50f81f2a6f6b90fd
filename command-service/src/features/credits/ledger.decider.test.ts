import {
  ChargeCredits,
  GrantCredits,
  ReleaseReservation,
  ReserveCredits,
} from '@tallyhand/contracts/features/credits/credits.commands';
import {
  CreditsCharged,
  CreditsGranted,
  CreditsReserved,
  type LedgerEvent,
  ReservationReleased,
} from '@tallyhand/contracts/features/credits/credits.events';
import { linkHash } from '@tallyhand/service-kit/crypto/hash-chain';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { availableIn, ledgerDecider } from './ledger.decider.ts';

const organizationId = derivedId('organization');
const grantId = derivedId('grant');
const reservationId = derivedId('task');
const work = { kind: 'task' as const, id: reservationId };
const unlinked = { organizationId, prev: '', hash: '' };
const terms = {
  work,
  agentId: derivedId('agent'),
  memberId: derivedId('member'),
  price: 1,
  expiresAt: '2026-11-21T08:30:00.000Z',
};

const grant = (amount: number, id = grantId) =>
  GrantCredits({ organizationId, grantId: id, amount, reason: 'sign-up' });
const reserve = (amount: number) =>
  ReserveCredits({ organizationId, reservationId, amount, ...terms });
const charge = () => ChargeCredits({ organizationId, reservationId });
const release = () => ReleaseReservation({ organizationId, reservationId, reason: 'work-failed' });

const granted = (amount: number, id = grantId) =>
  CreditsGranted({ ...unlinked, grantId: id, amount, reason: 'sign-up' });
const reserved = (amount: number, id = reservationId) =>
  CreditsReserved({ ...unlinked, reservationId: id, amount, ...terms });
const charged = (amount: number) => CreditsCharged({ ...unlinked, reservationId, amount, work });
const released = (amount: number) =>
  ReservationReleased({ ...unlinked, reservationId, amount, work, reason: 'work-failed' });

/** Gives each event the hash of the one before it and its own. */
function chained(history: readonly LedgerEvent[]): LedgerEvent[] {
  let prev = '';
  return history.map(({ type, data: { hash: _, ...data } }) => {
    const linked = { ...data, prev };
    prev = linkHash(type, linked);
    return { type, data: { ...linked, hash: prev } } as LedgerEvent;
  });
}

const given = rulesOf(ledgerDecider, chained);

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
  it('takes the very last credit', () => {
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
  it('is refused after its release: what was given back pays for nothing', () => {
    given(granted(60), reserved(60), released(60))
      .when(reserve(60))
      .thenRefused('reservation-settled', { outcome: 'released' });
  });
  it('is refused when its id stands for another amount', () => {
    given(granted(100), reserved(60)).when(reserve(61)).thenRefused('reservation-differs');
    given(granted(100), reserved(60), charged(60))
      .when(reserve(1))
      .thenRefused('reservation-differs');
  });
});

describe('ChargeCredits', () => {
  it('spends what was set aside', () => {
    given(granted(100), reserved(60)).when(charge()).thenAppended(charged(60));
    const { posted, reserved: open } = given(granted(100), reserved(60), charged(60)).state();
    expect([posted, open]).toEqual([40, 0]);
  });
  it('is refused when nothing was set aside', () => {
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
  it('makes what was set aside available again', () => {
    given(granted(100), reserved(60)).when(release()).thenAppended(released(60));
    expect(availableIn(given(granted(100), reserved(60), released(60)).state())).toBe(100);
  });
  it('is refused when nothing was set aside', () => {
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
