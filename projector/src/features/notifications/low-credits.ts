import type { LedgerEvent } from '@tallyhand/contracts/features/credits/credits.events';
import { LOW_BALANCE_LEVELS } from '@tallyhand/contracts/features/credits/credits.prices';

export type Balance = { readonly posted: number; readonly reserved: number };

/** The balance after an event. */
export function balanceAfter({ posted, reserved }: Balance, { type, data }: LedgerEvent): Balance {
  switch (type) {
    case 'CreditsGranted':
    case 'CreditsPurchased':
    case 'CreditsRefunded':
    case 'PaymentReinstated':
    case 'AdjustmentPosted':
      return { posted: posted + data.amount, reserved };
    case 'PaymentReversed':
      return { posted: posted - data.amount, reserved };
    case 'CreditsReserved':
      return { posted, reserved: reserved + data.amount };
    case 'CreditsCharged':
      return { posted: posted - data.amount, reserved: reserved - data.amount };
    case 'ReservationReleased':
    case 'ReservationExpired':
      return { posted, reserved: reserved - data.amount };
    case 'ReservationExtended':
    case 'UnbilledUsageRecorded':
    case 'SpendLimitSet':
      return { posted, reserved };
  }
}

type Level = (typeof LOW_BALANCE_LEVELS)[number];

/** The lowest level that the posted balance falls below (reaches, for level 0), or null. */
export function levelCrossed(before: number, after: number): Level | null {
  const isCrossed = (level: Level) =>
    level === 0 ? before > 0 && after <= 0 : before >= level && after < level;
  return LOW_BALANCE_LEVELS.findLast(isCrossed) ?? null;
}

export const severityOf: Readonly<Record<Level, 'info' | 'warning' | 'critical'>> = {
  100: 'info',
  50: 'warning',
  10: 'critical',
  0: 'critical',
};
