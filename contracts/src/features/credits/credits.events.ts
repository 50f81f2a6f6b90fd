import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { WORK_KINDS, WORK_TYPES } from './paid-work.ts';

/** Credits are whole numbers; a ledger never holds a fraction. */
export const Credits = z.int();

/** What a reservation pays for. */
export const Work = z.object({ kind: z.enum(WORK_KINDS), id: Id });
export type Work = z.infer<typeof Work>;

/** What credits were set aside for; each event about a reservation says it again. */
const terms = {
  reservationId: Id,
  amount: Credits,
  work: Work,
  workType: z.enum(WORK_TYPES),
  agentId: Id,
  memberId: Id.nullable(),
};

/** Whose spending a limit is about. */
export const LimitScope = z.object({ kind: z.enum(['agent', 'member']), id: Id });
export type LimitScope = z.infer<typeof LimitScope>;

const decided = { reason: z.string(), approver: z.string() };

// A ledger is a chain: the envelope of each event holds the hash of the event before it and its own.

export const CreditsGranted = event('CreditsGranted', {
  organizationId: Id,
  grantId: Id,
  amount: Credits,
  reason: z.enum(['sign-up']),
});
export const CreditsPurchased = event('CreditsPurchased', {
  organizationId: Id,
  paymentId: Id,
  amount: Credits,
  /** What was paid, in hundredths of `currency`. */
  paidCents: z.int(),
  currency: z.string(),
});
export const CreditsReserved = event('CreditsReserved', {
  organizationId: Id,
  ...terms,
  /** Credits for one unit of the work, as it was shown before the click. */
  price: Credits,
  expiresAt: Instant,
});
export const ReservationExtended = event('ReservationExtended', {
  organizationId: Id,
  reservationId: Id,
  expiresAt: Instant,
});
export const CreditsCharged = event('CreditsCharged', {
  organizationId: Id,
  ...terms,
  price: Credits,
});
export const ReservationReleased = event('ReservationReleased', {
  organizationId: Id,
  ...terms,
  reason: z.enum(['work-failed', 'work-cancelled', 'work-never-started']),
});
export const ReservationExpired = event('ReservationExpired', { organizationId: Id, ...terms });
/** Work was done whose reservation had expired, when nothing was left to pay it with. */
export const UnbilledUsageRecorded = event('UnbilledUsageRecorded', {
  organizationId: Id,
  ...terms,
});
/** A charge is given back, by an operator. */
export const CreditsRefunded = event('CreditsRefunded', {
  organizationId: Id,
  ...terms,
  ...decided,
});
/** The payment provider took money back: the credits that it bought go with it. */
export const PaymentReversed = event('PaymentReversed', {
  organizationId: Id,
  paymentId: Id,
  amount: Credits,
  cause: z.enum(['refund', 'dispute']),
});
/** Money that was taken back came again, as after a dispute that was won. */
export const PaymentReinstated = event('PaymentReinstated', {
  organizationId: Id,
  paymentId: Id,
  amount: Credits,
});
/** An operator's correction; `amount` is negative where credits are taken. */
export const AdjustmentPosted = event('AdjustmentPosted', {
  organizationId: Id,
  adjustmentId: Id,
  amount: Credits,
  ...decided,
});
/** A number of credits for each calendar month (UTC), or null for no limit. */
export const SpendLimitSet = event('SpendLimitSet', {
  organizationId: Id,
  scope: LimitScope,
  monthlyCredits: Credits.nullable(),
  setBy: Id,
});

/** Every event of the stream, by type. */
export const ledgerEvents = {
  CreditsGranted,
  CreditsPurchased,
  CreditsReserved,
  ReservationExtended,
  CreditsCharged,
  ReservationReleased,
  ReservationExpired,
  UnbilledUsageRecorded,
  CreditsRefunded,
  PaymentReversed,
  PaymentReinstated,
  AdjustmentPosted,
  SpendLimitSet,
};
export type LedgerEvent = EventsOf<typeof ledgerEvents>;
