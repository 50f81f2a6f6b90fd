import type { Role } from '@tallyhand/contracts/features/identity/role';
import { InvitationNotValid } from '@tallyhand/contracts/features/team/team.refusals';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { signToken, verifyToken } from '@tallyhand/service-kit/crypto/tokens';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { streamsOf } from '../../kit/streams.ts';
import { invitationDecider, whyNotAcceptable } from './invitation.decider.ts';

const VALID_DAYS = 7;

export type NewInvitation = {
  readonly invitationId: string;
  readonly organizationId: string;
  readonly kind: 'email' | 'link';
  readonly email: string | null;
  readonly emailKey: string | null;
  readonly role: Role;
  readonly message: string | null;
  readonly invitedBy: string;
};

export type Acceptable = {
  readonly invitationId: string;
  readonly organizationId: string;
  readonly role: Role;
};

export type Invitations = {
  issue(
    context: CommandContext,
    invitation: NewInvitation,
  ): Promise<{ token: string; url: string; expiresAt: string }>;
  revoke(context: CommandContext, organizationId: string, id: string): Promise<Refusal | null>;
  /** What a token leads to, if the address may use it now. */
  check(token: string, emailKey: string, now: Date): Promise<Acceptable | Refusal>;
  /** Uses the invitation up, unless it is a link; the same person may do so again. */
  accept(
    context: CommandContext,
    acceptance: { invitationId: string; userId: string; emailKey: string },
  ): Promise<Acceptable | Refusal>;
};

export function invitationsOf(kit: Kit): Invitations {
  const { settings, vault } = kit;
  const invitations = streamsOf(invitationDecider, kit.streams);

  return {
    async issue(context, invitation) {
      const { invitationId, organizationId, email, message } = invitation;
      const seal = async (text: string | null) =>
        text === null ? null : vault.encrypt(invitationId, organizationId, text);
      const expires = new Date(context.now.getTime() + VALID_DAYS * 86_400_000);
      const answer = await invitations.send(
        invitationId,
        {
          type: 'IssueInvitation',
          data: {
            ...invitation,
            email: await seal(email),
            message: await seal(message),
            expiresAt: expires.toISOString(),
          },
        },
        context,
      );
      if (isRefusal(answer)) throw new Error(`An invitation was refused: ${answer.code}`);
      const expiresAt = answer.state.issued?.expiresAt ?? expires.toISOString();
      const token = await signToken(settings.signingKey, 'invitation', {
        subject: `${organizationId}.${invitationId}`,
        expiresAt: new Date(expiresAt),
      });
      return { token, url: `${settings.publicUrl}/auth?invite=${token}`, expiresAt };
    },
    async revoke(context, organizationId, id) {
      const answer = await invitations.send(
        id,
        { type: 'RevokeInvitation', data: { organizationId } },
        context,
      );
      return isRefusal(answer) ? answer : null;
    },
    async check(token, emailKey, now) {
      const subject = await verifyToken(settings.signingKey, 'invitation', token, now);
      if (!subject) return InvitationNotValid({ reason: 'unknown' });
      const state = await invitations.load(subject.split('.')[1] ?? '');
      const refused = whyNotAcceptable(state, { emailKey, now: now.toISOString() });
      return refused ?? state.issued ?? InvitationNotValid({ reason: 'unknown' });
    },
    async accept(context, { invitationId, userId, emailKey }) {
      const data = { userId, emailKey, now: context.now.toISOString() };
      const answer = await invitations.send(
        invitationId,
        { type: 'AcceptInvitation', data },
        context,
      );
      if (isRefusal(answer)) return answer;
      return answer.state.issued ?? InvitationNotValid({ reason: 'unknown' });
    },
  };
}
