import { z } from 'zod';
import { Day } from '../../kernel/auditor-access.ts';
import { Ciphertext, Id, Instant } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { Role } from '../../kernel/role.ts';

/**
 * On `invitation-{id}`. Any number of people can use a `link`; an `email` invitation can be used
 * once and only by its address, which is ciphertext under the invitation's own key.
 */
export const InvitationIssued = event(
  'InvitationIssued',
  {
    invitationId: Id,
    organizationId: Id,
    kind: z.enum(['email', 'link']),
    email: Ciphertext.nullable(),
    emailKey: z.string().nullable(),
    role: Role,
    /** Of a future Auditor, otherwise null: the last day of access. */
    lastDay: Day.nullable(),
    message: Ciphertext.nullable(),
    invitedBy: Id,
    expiresAt: Instant,
  },
  [(data) => ({ ...data, lastDay: null })],
);
/** With a new expiry and token; earlier tokens are invalid. */
export const InvitationResent = event('InvitationResent', {
  invitationId: Id,
  organizationId: Id,
  resendId: Id,
  /** Counted from 1: how often it was resent. */
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
