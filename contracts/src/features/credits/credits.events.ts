import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { WORK_KINDS, WORK_TYPES } from './paid-work.ts';

/** Credits are whole numbers. */
export const Credits = z.int();

/** What a reservation pays for. */
export const Work = z.object({ kind: z.enum(WORK_KINDS), id: Id });
export type Work = z.infer<typeof Work>;

/** What credits were reserved for; repeated in each event of the reservation. */
const terms = {
  reservationId: Id,
  amount: Credits,
  work: Work,
  workType: z.enum(WORK_TYPES),
  agentId: Id,
  memberId: Id.nullable(),
};

/** Whose spending a limit applies to. */
export const LimitScope = z.object({ kind: z.enum(['agent', 'member']), id: Id });
export type LimitScope = z.infer<typeof LimitScope>;

const decided = { reason: z.string(), approver: z.string() };

// A ledger is a chain: the envelope of each event has its own hash and the hash of the event before
// it.

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
  /** The price in hundredths of `currency`. */
  paidCents: z.int(),
  currency: z.string(),
});
export const CreditsReserved = event('CreditsReserved', {
  organizationId: Id,
  ...terms,
  /** Credits per unit of work, as shown before the request. */
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
/** The reservation had expired before the work was charged, and no credit was left. */
export const UnbilledUsageRecorded = event('UnbilledUsageRecorded', {
  organizationId: Id,
  ...terms,
});
/** An operator refunded a charge. */
export const CreditsRefunded = event('CreditsRefunded', {
  organizationId: Id,
  ...terms,
  ...decided,
});
/** The payment was refunded or disputed: its credits are withdrawn. */
export const PaymentReversed = event('PaymentReversed', {
  organizationId: Id,
  paymentId: Id,
  amount: Credits,
  cause: z.enum(['refund', 'dispute']),
});
/** Withdrawn credits are added back, for instance after a won dispute. */
export const PaymentReinstated = event('PaymentReinstated', {
  organizationId: Id,
  paymentId: Id,
  amount: Credits,
});
/** An operator's correction; a negative `amount` withdraws credits. */
export const AdjustmentPosted = event('AdjustmentPosted', {
  organizationId: Id,
  adjustmentId: Id,
  amount: Credits,
  ...decided,
});
/** Credits per calendar month (UTC), or null for no limit. */
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
