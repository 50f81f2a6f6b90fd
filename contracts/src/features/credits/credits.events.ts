import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

/** Credits are whole numbers; a ledger never holds a fraction. */
export const Credits = z.int();

/** What a reservation pays for. */
export const Work = z.object({ kind: z.enum(['task', 'step']), id: Id });
export type Work = z.infer<typeof Work>;

/**
 * Every event of a ledger is a link of a chain: `prev` is the hash of the event before it ('' for
 * the first), `hash` the SHA-256 (hex) over the canonical JSON of type and data without `hash`.
 */
const link = { organizationId: Id, prev: z.string(), hash: z.string() };

export const CreditsGranted = event('CreditsGranted', {
  ...link,
  grantId: Id,
  amount: Credits,
  reason: z.enum(['sign-up']),
});
export const CreditsReserved = event('CreditsReserved', {
  ...link,
  reservationId: Id,
  amount: Credits,
  work: Work,
  agentId: Id,
  memberId: Id.nullable(),
  /** Credits for one unit of the work, as it was shown before the click. */
  price: Credits,
  expiresAt: Instant,
});
export const CreditsCharged = event('CreditsCharged', {
  ...link,
  reservationId: Id,
  amount: Credits,
  work: Work,
});
export const ReservationReleased = event('ReservationReleased', {
  ...link,
  reservationId: Id,
  amount: Credits,
  work: Work,
  reason: z.enum(['work-failed', 'work-cancelled', 'work-never-started']),
});

/** Every event of the stream, by type. */
export const ledgerEvents = {
  CreditsGranted,
  CreditsReserved,
  CreditsCharged,
  ReservationReleased,
};
export type LedgerEvent = EventsOf<typeof ledgerEvents>;
