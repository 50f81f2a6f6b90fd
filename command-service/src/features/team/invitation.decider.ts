import {
  InvitationAccepted,
  type InvitationEvent,
  InvitationIssued,
  InvitationResent,
  InvitationRevoked,
  invitationEvents,
} from '@tallyhand/contracts/features/team/team.events';
import {
  InvitationAlreadyAccepted,
  InvitationForAnotherAddress,
  InvitationNotValid,
} from '@tallyhand/contracts/features/team/team.refusals';
import { endOfDay } from '@tallyhand/contracts/kernel/auditor-access';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

type Acceptance = {
  readonly userId: string;
  readonly emailKey: string;
  /** ISO 8601. */
  readonly now: string;
};

type Resend = {
  readonly organizationId: string;
  readonly resendId: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  readonly now: string;
};

type InvitationCommand =
  | EventValue<'IssueInvitation', Parameters<typeof InvitationIssued>[0]>
  | EventValue<'ResendInvitation', Resend>
  | EventValue<'RevokeInvitation', { readonly organizationId: string }>
  | EventValue<'AcceptInvitation', Acceptance>;

type Issued = {
  readonly invitationId: string;
  readonly organizationId: string;
  readonly kind: 'email' | 'link';
  readonly email: Ciphertext | null;
  readonly emailKey: string | null;
  readonly role: Role;
  readonly lastDay: string | null;
  readonly message: Ciphertext | null;
  readonly expiresAt: string;
};

export type Invitation = {
  readonly issued: Issued | null;
  readonly isRevoked: boolean;
  /** How often it was sent again, and the last command that did. */
  readonly resent: { readonly number: number; readonly lastId: string | null };
  readonly acceptedBy: ReadonlySet<string>;
};

type InvitationRefusal = RefusalOf<
  | typeof NotFound
  | typeof InvitationAlreadyAccepted
  | typeof InvitationForAnotherAddress
  | typeof InvitationNotValid
>;

/** Null if the person may accept. */
export function whyNotAcceptable(
  { issued, isRevoked, acceptedBy }: Invitation,
  { emailKey, now }: Omit<Acceptance, 'userId'>,
): InvitationRefusal | null {
  if (!issued) return InvitationNotValid({ reason: 'unknown' });
  if (isRevoked) return InvitationNotValid({ reason: 'revoked' });
  if (issued.expiresAt <= now) return InvitationNotValid({ reason: 'expired' });
  if (issued.kind === 'link') return null;
  if (acceptedBy.size > 0) return InvitationNotValid({ reason: 'used' });
  return issued.emailKey === emailKey ? null : InvitationForAnotherAddress({});
}

/** An invitation of an Auditor ends with the access that it offers. */
function issue(data: Parameters<typeof InvitationIssued>[0]) {
  const { lastDay, expiresAt } = data;
  return InvitationIssued({ ...data, expiresAt: earlier(expiresAt, lastDay && endOfDay(lastDay)) });
}

/** Of two moments as `Date.toISOString` formats them. */
const earlier = (moment: string, end: string | null) =>
  end !== null && end < moment ? end : moment;

function accept(acceptance: Acceptance, invitation: Invitation) {
  const { issued, acceptedBy } = invitation;
  if (acceptedBy.has(acceptance.userId)) return [];
  const refused = whyNotAcceptable(invitation, acceptance);
  if (refused || !issued) return refused ?? InvitationNotValid({ reason: 'unknown' });
  const { invitationId, organizationId } = issued;
  return [InvitationAccepted({ invitationId, organizationId, userId: acceptance.userId })];
}

function revoke(organizationId: string, { issued, isRevoked, acceptedBy }: Invitation) {
  if (issued?.organizationId !== organizationId) return NotFound({ what: 'invitation' });
  if (isRevoked) return [];
  if (issued.kind === 'email' && acceptedBy.size > 0) return InvitationAlreadyAccepted({});
  return [InvitationRevoked({ invitationId: issued.invitationId, organizationId })];
}

function resend(
  { organizationId, resendId, expiresAt, now }: Resend,
  { issued, isRevoked, acceptedBy, resent }: Invitation,
) {
  // Links are renewed instead.
  if (issued?.organizationId !== organizationId || issued.kind === 'link') {
    return NotFound({ what: 'invitation' });
  }
  if (resent.lastId === resendId) return [];
  if (acceptedBy.size > 0) return InvitationAlreadyAccepted({});
  if (isRevoked) return InvitationNotValid({ reason: 'revoked' });
  const { invitationId, lastDay } = issued;
  const end = lastDay && endOfDay(lastDay);
  if (end && end <= now) return InvitationNotValid({ reason: 'expired' });
  const number = resent.number + 1;
  const again = { invitationId, organizationId, resendId, number };
  return [InvitationResent({ ...again, expiresAt: earlier(expiresAt, end) })];
}

export const invitationDecider: Decider<
  Invitation,
  InvitationCommand,
  InvitationEvent,
  InvitationRefusal
> = {
  initialState: () => ({
    issued: null,
    isRevoked: false,
    resent: { number: 0, lastId: null },
    acceptedBy: new Set(),
  }),
  decide(command, invitation) {
    switch (command.type) {
      case 'IssueInvitation':
        return invitation.issued ? [] : [issue(command.data)];
      case 'ResendInvitation':
        return resend(command.data, invitation);
      case 'RevokeInvitation':
        return revoke(command.data.organizationId, invitation);
      case 'AcceptInvitation':
        return accept(command.data, invitation);
    }
  },
  evolve(invitation, event) {
    switch (event.type) {
      case 'InvitationIssued':
        return { ...invitation, issued: event.data };
      case 'InvitationResent': {
        const { resendId, number, expiresAt } = event.data;
        const issued = invitation.issued && { ...invitation.issued, expiresAt };
        return { ...invitation, issued, resent: { number, lastId: resendId } };
      }
      case 'InvitationRevoked':
        return { ...invitation, isRevoked: true };
      case 'InvitationAccepted': {
        const acceptedBy = new Set(invitation.acceptedBy).add(event.data.userId);
        return { ...invitation, acceptedBy };
      }
    }
  },
};

export const invitationStream: StreamPolicy<
  Invitation,
  InvitationCommand,
  InvitationEvent,
  InvitationRefusal
> = {
  category: 'invitation',
  decider: invitationDecider,
  events: invitationEvents,
};
