import { readInvitationSubject } from '@tallyhand/contracts/features/team/invitation-token';
import { InvitationNotValid } from '@tallyhand/contracts/features/team/team.refusals';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { verifyToken } from '@tallyhand/service-kit/crypto/tokens';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { type HandOverSteps, handOverOf, type Issued, VALID_DAYS } from './hand-over.ts';
import { invitationStream, whyNotAcceptable } from './invitation.decider.ts';

/** The signature is checked apart from the end: an expired one is told from a forged one. */
const AT_ANY_TIME = new Date(0);

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

type Acceptance = {
  readonly invitationId: string;
  readonly userId: string;
  readonly emailKey: string;
};

type Steps = HandOverSteps & {
  readonly isClosed: (organizationId: string) => Promise<boolean>;
};

const endFrom = ({ now }: CommandContext) =>
  new Date(now.getTime() + VALID_DAYS * 86_400_000).toISOString();

/** Invitations, each of which a token leads to. Every call may be repeated. */
export type Invitations = ReturnType<typeof invitationsOf>;

export const invitationsOf = (kit: Kit, steps: Steps) => ({
  ...issuingOf(kit, steps),
  ...acceptanceOf(kit, steps),
});

function issuingOf(kit: Kit, steps: HandOverSteps) {
  const { vault, mail } = kit;
  const { reveal, handOver, mailOut } = handOverOf(kit, steps);
  const invitations = kit.streams.of(invitationStream);

  /** What was on its way with an older token goes no more. */
  const withdraw = ({ organizationId, invitationId }: Issued) =>
    mail.withdraw(organizationId, invitationId);

  return {
    async issue(context: CommandContext, invitation: NewInvitation) {
      const { invitationId, organizationId, email, message } = invitation;
      const seal = async (text: string | null) =>
        text === null ? null : vault.encrypt(invitationId, organizationId, text);
      const answer = await invitations.send(
        invitationId,
        {
          type: 'IssueInvitation',
          data: {
            ...invitation,
            email: await seal(email),
            message: await seal(message),
            expiresAt: endFrom(context),
          },
        },
        context,
      );
      if (isRefusal(answer)) throw new Error(`An invitation was refused: ${answer.code}`);
      await mailOut(answer.state);
      return handOver(answer.state);
    },
    async resend(context: CommandContext, organizationId: string, id: string) {
      const resendId = idFor(context, 'resend');
      const data = { organizationId, resendId, expiresAt: endFrom(context) };
      const answer = await invitations.send(id, { type: 'ResendInvitation', data }, context);
      if (isRefusal(answer)) return answer;
      const { issued } = answer.state;
      if (!issued) return InvitationNotValid({ reason: 'unknown' });
      if (answer.events.length > 0) await withdraw(issued);
      await mailOut(answer.state);
      const email = (await reveal(issued, issued.email)) ?? '';
      return { id, email, role: issued.role, ...(await handOver(answer.state)) };
    },
    async revoke(
      context: CommandContext,
      organizationId: string,
      id: string,
    ): Promise<Refusal | null> {
      const answer = await invitations.send(
        id,
        { type: 'RevokeInvitation', data: { organizationId } },
        context,
      );
      if (isRefusal(answer)) return answer;
      if (answer.state.issued) await withdraw(answer.state.issued);
      return null;
    },
    isIssued: async (id: string): Promise<boolean> => (await invitations.load(id)).issued !== null,
    /** As `revoke`; does nothing where the process died before issuing it. */
    async revokeIfIssued(context: CommandContext, organizationId: string, id: string) {
      const refused = (await this.isIssued(id)) && (await this.revoke(context, organizationId, id));
      if (refused) throw new Error(`An invitation was not revoked: ${refused.code}`);
    },
    /** Mails it where the process that issued it died before. */
    async mailAgain(id: string): Promise<void> {
      const state = await invitations.load(id);
      const isOpen = !state.isRevoked && state.acceptedBy.size === 0;
      if (isOpen && state.issued && state.issued.expiresAt > new Date().toISOString()) {
        await mailOut(state);
      }
    },
  };
}

function acceptanceOf({ settings, streams }: Kit, steps: Pick<Steps, 'isClosed'>) {
  const invitations = streams.of(invitationStream);

  /** What a token leads to now, for the address that it is for, or for another one. */
  async function open(token: string, now: Date, emailKey?: string): Promise<Issued | Refusal> {
    const subject = await verifyToken(settings.signingKey, 'invitation', token, AT_ANY_TIME);
    const named = subject === null ? null : readInvitationSubject(subject);
    if (!named) return InvitationNotValid({ reason: 'unknown' });
    const state = await invitations.load(named.invitationId);
    const key = emailKey ?? state.issued?.emailKey ?? '';
    const refused = whyNotAcceptable(state, { emailKey: key, now: now.toISOString() });
    if (refused || !state.issued) return refused ?? InvitationNotValid({ reason: 'unknown' });
    if (state.resent.number !== named.number) return InvitationNotValid({ reason: 'replaced' });
    const isClosed = await steps.isClosed(state.issued.organizationId);
    return isClosed ? InvitationNotValid({ reason: 'revoked' }) : state.issued;
  }

  return {
    open,
    /** Uses the invitation up, unless it is a link; the same person may do so again. */
    async accept(
      context: CommandContext,
      { invitationId, userId, emailKey }: Acceptance,
    ): Promise<Issued | Refusal> {
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
