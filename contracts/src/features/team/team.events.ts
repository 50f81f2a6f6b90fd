import { z } from 'zod';
import { Ciphertext, Id, Instant } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { Role } from '../../kernel/role.ts';

/**
 * On `invitation-{id}`. A `link` may be used by many, an `email` invitation once and only by its
 * address, which is kept as ciphertext under a key of the invitation's own.
 */
export const InvitationIssued = event('InvitationIssued', {
  invitationId: Id,
  organizationId: Id,
  kind: z.enum(['email', 'link']),
  email: Ciphertext.nullable(),
  emailKey: z.string().nullable(),
  role: Role,
  message: Ciphertext.nullable(),
  invitedBy: Id,
  expiresAt: Instant,
});
/** With another end and another token; those of before no longer count. */
export const InvitationResent = event('InvitationResent', {
  invitationId: Id,
  organizationId: Id,
  resendId: Id,
  /** Counted from 1: how often it was sent again. */
  number: z.int(),
  expiresAt: Instant,
});
export const InvitationRevoked = event('InvitationRevoked', {
  invitationId: Id,
  organizationId: Id,
});
export const InvitationAccepted = event('InvitationAccepted', {
  invitationId: Id,
  organizationId: Id,
  userId: Id,
});

/** Every event of the stream, by type. */
export const invitationEvents = {
  InvitationIssued,
  InvitationResent,
  InvitationRevoked,
  InvitationAccepted,
};
export type InvitationEvent = EventsOf<typeof invitationEvents>;
