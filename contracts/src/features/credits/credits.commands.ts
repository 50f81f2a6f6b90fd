import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { type CommandOf, command } from '../../kernel/messages.ts';
import { LimitScope, Work } from './credits.events.ts';
import { WORK_TYPES } from './paid-work.ts';

export const CREDITS_MAX = 1_000_000;

const Amount = z.int().min(1).max(CREDITS_MAX);
const Sentence = z.string().min(3).max(500);
const decided = { reason: Sentence, approver: z.string().min(2).max(200) };
const reservation = { organizationId: Id, reservationId: Id };

/** Give credits without payment. */
export const GrantCredits = command('GrantCredits', {
  organizationId: Id,
  grantId: Id,
  amount: Amount,
  reason: z.enum(['sign-up']),
});
/** A payment succeeded: what it bought is there to spend, once. */
export const PurchaseCredits = command('PurchaseCredits', {
  organizationId: Id,
  paymentId: Id,
  amount: Amount,
  paidCents: z.int().min(1),
  currency: z.string(),
});
/** Set credits aside before work starts, so that a task can never spend what is not there. */
export const ReserveCredits = command('ReserveCredits', {
  ...reservation,
  amount: Amount,
  work: Work,
  workType: z.enum(WORK_TYPES),
  agentId: Id,
  memberId: Id.nullable(),
  price: Amount,
  /** Decides the month that the spending counts for. */
  at: Instant,
  expiresAt: Instant,
});
/** Work that takes longer keeps what was set aside for it. */
export const ExtendReservation = command('ExtendReservation', {
  ...reservation,
  expiresAt: Instant,
});
/** The work succeeded: what was set aside is spent. */
export const ChargeCredits = command('ChargeCredits', reservation);
/** The work did not succeed: what was set aside is available again. */
export const ReleaseReservation = command('ReleaseReservation', {
  ...reservation,
  reason: z.enum(['work-failed', 'work-cancelled', 'work-never-started']),
});
/** The reservation was not ended in time. */
export const ExpireReservation = command('ExpireReservation', { ...reservation, at: Instant });
/** Give a charge back. */
export const RefundCharge = command('RefundCharge', { ...reservation, ...decided });
/** How many of a payment's credits are taken back now, refunds and disputes together. */
export const ReversePayment = command('ReversePayment', {
  organizationId: Id,
  paymentId: Id,
  reversed: z.int().min(0).max(CREDITS_MAX),
  cause: z.enum(['refund', 'dispute']),
});
/** Correct the balance by hand, up or down. */
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
  | CommandOf<typeof ExtendReservation>
  | CommandOf<typeof ChargeCredits>
  | CommandOf<typeof ReleaseReservation>
  | CommandOf<typeof ExpireReservation>
  | CommandOf<typeof RefundCharge>
  | CommandOf<typeof ReversePayment>
  | CommandOf<typeof PostAdjustment>
  | CommandOf<typeof SetSpendLimit>;
