import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { type CommandOf, command } from '../../kernel/messages.ts';
import { Work } from './credits.events.ts';

const Amount = z.int().min(1).max(1_000_000);

/** Give credits without payment. */
export const GrantCredits = command('GrantCredits', {
  organizationId: Id,
  grantId: Id,
  amount: Amount,
  reason: z.enum(['sign-up']),
});
/** Set credits aside before work starts, so that a task can never spend what is not there. */
export const ReserveCredits = command('ReserveCredits', {
  organizationId: Id,
  reservationId: Id,
  amount: Amount,
  work: Work,
  agentId: Id,
  memberId: Id.nullable(),
  price: Amount,
  expiresAt: Instant,
});
/** The work succeeded: what was set aside is spent. */
export const ChargeCredits = command('ChargeCredits', { organizationId: Id, reservationId: Id });
/** The work did not succeed: what was set aside is available again. */
export const ReleaseReservation = command('ReleaseReservation', {
  organizationId: Id,
  reservationId: Id,
  reason: z.enum(['work-failed', 'work-cancelled', 'work-never-started']),
});

export type LedgerCommand =
  | CommandOf<typeof GrantCredits>
  | CommandOf<typeof ReserveCredits>
  | CommandOf<typeof ChargeCredits>
  | CommandOf<typeof ReleaseReservation>;
