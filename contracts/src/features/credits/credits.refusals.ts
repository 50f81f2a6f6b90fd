import { refusal } from '../../kernel/refusal.ts';

export const InsufficientCredits = refusal(
  'insufficient-credits',
  402,
  'Not enough credits',
  (p: { available: number; requested: number }) =>
    `Not enough credits: this needs ${p.requested}, you have ${p.available}.`,
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
  'Reservation settled already',
  (p: { outcome: 'charged' | 'released' }) => `This reservation was ${p.outcome} already.`,
);
export const ReservationDiffers = refusal(
  'reservation-differs',
  409,
  'Another reservation has this id',
  () => 'A reservation with this id and another amount exists.',
);
