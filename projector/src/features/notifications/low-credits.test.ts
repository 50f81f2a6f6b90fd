import {
  PaymentReversed,
  ReservationReleased,
} from '@tallyhand/contracts/features/credits/credits.events';
import { describe, expect, it } from 'vitest';
import { agentId, charged, granted, termsOf } from '../../testing/ledger-history.ts';
import { balanceAfter, levelCrossed } from './low-credits.ts';

describe('the level that a balance crosses', () => {
  it.each([
    [101, 100, null],
    [100, 99, 100],
    [99, 98, null],
    [51, 50, null],
    [50, 49, 50],
    [10, 9, 10],
    [1, 0, 0],
    [0, -1, null],
    [-1, 0, null],
    [5_000, 49, 50],
    [5_000, 0, 0],
    [5_000, -100, 0],
    [9, 200, null],
    [0, 100, null],
  ])('from %d to %d is %s', (before, after, level) => {
    expect(levelCrossed(before, after)).toBe(level);
  });
});

describe('the balance that notifications go by', () => {
  it('falls with charges and reversals, not with reservations', () => {
    const reserved = charged(agentId, agentId, 3);
    const after = [granted(agentId, 100), ...reserved.slice(0, 1)].reduce(balanceAfter, empty);
    expect(after).toEqual({ posted: 100, reserved: 3 });
    expect(reserved.slice(1).reduce(balanceAfter, after)).toEqual({ posted: 97, reserved: 0 });
    const released = ReservationReleased({
      ...termsOf(agentId, agentId, 3),
      reason: 'work-failed',
    });
    expect(balanceAfter(after, released)).toEqual({ posted: 100, reserved: 0 });
    const payment = { organizationId: agentId, paymentId: agentId, amount: 150 };
    expect(balanceAfter(after, PaymentReversed({ ...payment, cause: 'dispute' }))).toEqual({
      posted: -50,
      reserved: 3,
    });
  });
});

const empty = { posted: 0, reserved: 0 };
