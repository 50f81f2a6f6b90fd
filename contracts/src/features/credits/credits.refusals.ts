import { refusal } from '../../kernel/refusal.ts';
import type { LimitScope } from './credits.events.ts';

export const InsufficientCredits = refusal(
  'insufficient-credits',
  402,
  'Not enough credits',
  (p: { available: number; requested: number }) =>
    `Not enough credits. This needs ${p.requested}, and you have ${p.available}.`,
);
export const SpendLimitReached = refusal(
  'spend-limit-reached',
  402,
  'Spend limit reached',
  (p: { scope: LimitScope['kind']; limit: number; spent: number; requested: number }) =>
    p.scope === 'agent'
      ? `This agent has used ${p.spent} of its ${p.limit} credits for this month.`
      : `You’ve used ${p.spent} of your ${p.limit} credits for this month.`,
);
export const ReservationNotFound = refusal(
  'reservation-not-found',
  404,
  'No such reservation',
  () => 'There is no such reservation.',
);
export const ReservationSettled = refusal(
  'reservation-settled',
  409,
  'Reservation already settled',
  (p: { outcome: 'charged' | 'released' | 'refunded' | 'unbilled' }) =>
    `This reservation was already ${p.outcome}.`,
);
export const ReservationIsExpired = refusal(
  'reservation-expired',
  409,
  'Reservation expired',
  () => 'This reservation has expired.',
);
export const ReservationDiffers = refusal(
  'reservation-differs',
  409,
  'Reservation id in use',
  () => 'A reservation with this id but different terms exists.',
);
export const ChargeNotFound = refusal(
  'charge-not-found',
  404,
  'No such charge',
  () => 'There is no such charge, or it is too old to refund. Post an adjustment instead.',
);
export const PurchaseNotFound = refusal(
  'purchase-not-found',
  404,
  'No such purchase',
  () => 'No credits were bought with this payment.',
);
export const PurchaseDiffers = refusal(
  'purchase-differs',
  409,
  'Purchase id in use',
  () => 'This payment bought a different number of credits.',
);
export const ReversalTooLarge = refusal(
  'reversal-too-large',
  422,
  'More than was bought',
  (p: { bought: number }) => `At most the ${p.bought} purchased credits can be withdrawn.`,
);
