import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { type CommandOf, command } from '../../kernel/messages.ts';
import { LimitScope, Work } from './credits.events.ts';
import { WORK_TYPES } from './paid-work.ts';

export const CREDITS_MAX = 1_000_000;
export const RESERVED_TOGETHER_MAX = 10;

const Amount = z.int().min(1).max(CREDITS_MAX);
const Sentence = z.string().min(3).max(500);
const decided = { reason: Sentence, approver: z.string().min(2).max(200) };
const reservation = { organizationId: Id, reservationId: Id };

/** Adds credits without a payment. */
export const GrantCredits = command('GrantCredits', {
  organizationId: Id,
  grantId: Id,
  amount: Amount,
  reason: z.enum(['sign-up']),
});
/** Adds the credits of a successful payment, once. */
export const PurchaseCredits = command('PurchaseCredits', {
  organizationId: Id,
  paymentId: Id,
  amount: Amount,
  paidCents: z.int().min(1),
  currency: z.string(),
});
/** Reserves credits before work starts, so that work never spends more than the balance. */
export const ReserveCredits = command('ReserveCredits', {
  ...reservation,
  amount: Amount,
  work: Work,
  workType: z.enum(WORK_TYPES),
  agentId: Id,
  memberId: Id.nullable(),
  price: Amount,
  /** Determines the month that the spending counts for. */
  at: Instant,
  expiresAt: Instant,
});
/** Reserves credits for several pieces of work of one request: for all of them, or for none. */
export const ReserveCreditsTogether = command('ReserveCreditsTogether', {
  organizationId: Id,
  workType: z.enum(WORK_TYPES),
  agentId: Id,
  memberId: Id.nullable(),
  at: Instant,
  expiresAt: Instant,
  parts: z
    .array(z.object({ reservationId: Id, amount: Amount, work: Work, price: Amount }))
    .min(1)
    .max(RESERVED_TOGETHER_MAX),
});
/** Extends the reservation of longer work. */
export const ExtendReservation = command('ExtendReservation', {
  ...reservation,
  expiresAt: Instant,
});
/** Charges the reservation of successful work. */
export const ChargeCredits = command('ChargeCredits', reservation);
/** Releases the reservation of unsuccessful work. */
export const ReleaseReservation = command('ReleaseReservation', {
  ...reservation,
  reason: z.enum(['work-failed', 'work-cancelled', 'work-never-started']),
});
/** Expires a reservation that was not settled in time. */
export const ExpireReservation = command('ExpireReservation', { ...reservation, at: Instant });
/** Refunds a charge. */
export const RefundCharge = command('RefundCharge', { ...reservation, ...decided });
/** The total number of a payment's credits withdrawn so far, by refunds and disputes together. */
export const ReversePayment = command('ReversePayment', {
  organizationId: Id,
  paymentId: Id,
  reversed: z.int().min(0).max(CREDITS_MAX),
  cause: z.enum(['refund', 'dispute']),
});
/** Corrects the balance by hand, up or down. */
export const PostAdjustment = command('PostAdjustment', {
  organizationId: Id,
  adjustmentId: Id,
  amount: z
    .int()
    .min(-CREDITS_MAX)
    .max(CREDITS_MAX)
    .refine((n) => n !== 0),
  ...decided,
});
export const SetSpendLimit = command('SetSpendLimit', {
  organizationId: Id,
  scope: LimitScope,
  monthlyCredits: z.int().min(0).max(CREDITS_MAX).nullable(),
  setBy: Id,
});

export type LedgerCommand =
  | CommandOf<typeof GrantCredits>
  | CommandOf<typeof PurchaseCredits>
  | CommandOf<typeof ReserveCredits>
  | CommandOf<typeof ReserveCreditsTogether>
  | CommandOf<typeof ExtendReservation>
  | CommandOf<typeof ChargeCredits>
  | CommandOf<typeof ReleaseReservation>
  | CommandOf<typeof ExpireReservation>
  | CommandOf<typeof RefundCharge>
  | CommandOf<typeof ReversePayment>
  | CommandOf<typeof PostAdjustment>
  | CommandOf<typeof SetSpendLimit>;
