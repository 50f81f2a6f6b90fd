import {
  invitationSubject,
  readInvitationSubject,
} from '@tallyhand/contracts/features/team/invitation-token';
import { invitationEvents } from '@tallyhand/contracts/features/team/team.events';
import { InvitationNotValid } from '@tallyhand/contracts/features/team/team.refusals';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { signToken, verifyToken } from '@tallyhand/service-kit/crypto/tokens';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import { mailsEn } from '../../messages/mails-en.ts';
import { type Invitation, invitationStream, whyNotAcceptable } from './invitation.decider.ts';

/** Expiry is checked separately, so that an expired token is not reported as a forged one. */
const AT_ANY_TIME = new Date(0);
const VALID_DAYS = 7;

export type NewInvitation = {
  readonly invitationId: string;
  readonly organizationId: string;
  readonly kind: 'email' | 'link';
  readonly email: string | null;
  readonly emailKey: string | null;
  readonly role: Role;
  readonly lastDay: string | null;
  readonly message: string | null;
  readonly invitedBy: string;
};

type Acceptance = {
  readonly invitationId: string;
  readonly userId: string;
  readonly emailKey: string;
};

type Issued = NonNullable<Invitation['issued']>;

type Organizations = {
  nameOf(organizationId: string): Promise<string>;
  isClosed(organizationId: string): Promise<boolean>;
};

const endFrom = ({ now }: CommandContext) =>
  new Date(now.getTime() + VALID_DAYS * 86_400_000).toISOString();

/** Invitations and their tokens. Every call may be repeated. */
export class Invitations {
  readonly #kit: Kit;
  readonly #streams;
  readonly #organizations: Organizations;

  constructor(kit: Kit, organizations: Organizations) {
    this.#kit = kit;
    this.#streams = kit.streams.of(invitationStream);
    this.#organizations = organizations;
  }

  async issue(context: CommandContext, invitation: NewInvitation) {
    const { invitationId, organizationId, email, message } = invitation;
    const seal = async (text: string | null) =>
      text === null ? null : this.#kit.vault.encrypt(invitationId, organizationId, text);
    const data = {
      ...invitation,
      email: await seal(email),
      message: await seal(message),
      expiresAt: endFrom(context),
    };
    const command = { type: 'IssueInvitation', data } as const;
    const answer = await this.#streams.send(invitationId, command, context);
    if (isRefusal(answer)) throw new Error(`An invitation was refused: ${answer.code}`);
    await this.#mailOut(answer.state);
    return this.#linkOf(answer.state);
  }

  async resend(context: CommandContext, organizationId: string, id: string) {
    const resendId = idFor(context, 'resend');
    const now = context.now.toISOString();
    const data = { organizationId, resendId, expiresAt: endFrom(context), now };
    const answer = await this.#streams.send(id, { type: 'ResendInvitation', data }, context);
    if (isRefusal(answer)) return answer;
    const { issued } = answer.state;
    if (!issued) return InvitationNotValid({ reason: 'unknown' });
    if (answer.events.length > 0) await this.#withdraw(issued);
    await this.#mailOut(answer.state);
    const email = (await this.#reveal(issued, issued.email)) ?? '';
    return { id, email, role: issued.role, ...(await this.#linkOf(answer.state)) };
  }

  async revoke(
    context: CommandContext,
    organizationId: string,
    id: string,
  ): Promise<Refusal | null> {
    const command = { type: 'RevokeInvitation', data: { organizationId } } as const;
    const answer = await this.#streams.send(id, command, context);
    if (isRefusal(answer)) return answer;
    if (answer.state.issued) await this.#withdraw(answer.state.issued);
    return null;
  }

  async isIssued(id: string): Promise<boolean> {
    return (await this.#streams.load(id)).issued !== null;
  }

  /** As `revoke`; does nothing where the process died before issuing it. */
  async revokeIfIssued(context: CommandContext, organizationId: string, id: string) {
    const refused = (await this.isIssued(id)) && (await this.revoke(context, organizationId, id));
    if (refused) throw new Error(`An invitation was not revoked: ${refused.code}`);
  }

  /** Mails it if the process that issued it died before it could. */
  async mailAgain(id: string): Promise<void> {
    const state = await this.#streams.load(id);
    const isOpen = !state.isRevoked && state.acceptedBy.size === 0;
    if (isOpen && state.issued && state.issued.expiresAt > new Date().toISOString()) {
      await this.#mailOut(state);
    }
  }

  /** The invitation of a token, if it can be accepted now by the address that it is for, or `emailKey`. */
  async open(token: string, now: Date, emailKey?: string): Promise<Issued | Refusal> {
    const { signingKey } = this.#kit.settings;
    const subject = await verifyToken(signingKey, 'invitation', token, AT_ANY_TIME);
    const named = subject === null ? null : readInvitationSubject(subject);
    if (!named) return InvitationNotValid({ reason: 'unknown' });
    const state = await this.#streams.load(named.invitationId);
    const key = emailKey ?? state.issued?.emailKey ?? '';
    const refused = whyNotAcceptable(state, { emailKey: key, now: now.toISOString() });
    if (refused || !state.issued) return refused ?? InvitationNotValid({ reason: 'unknown' });
    if (state.resent.number !== named.number) return InvitationNotValid({ reason: 'replaced' });
    const isClosed = await this.#organizations.isClosed(state.issued.organizationId);
    return isClosed ? InvitationNotValid({ reason: 'revoked' }) : state.issued;
  }

  /** Uses up the invitation, unless it is a link. The same person may repeat it. */
  async accept(
    context: CommandContext,
    { invitationId, userId, emailKey }: Acceptance,
  ): Promise<Issued | Refusal> {
    const data = { userId, emailKey, now: context.now.toISOString() };
    const command = { type: 'AcceptInvitation', data } as const;
    const answer = await this.#streams.send(invitationId, command, context);
    if (isRefusal(answer)) return answer;
    return answer.state.issued ?? InvitationNotValid({ reason: 'unknown' });
  }

  /** The token is stored nowhere: the same state gives the same one again. */
  async #linkOf({ issued, resent }: Invitation) {
    if (!issued) throw new Error('The invitation was never issued');
    const { settings } = this.#kit;
    const { organizationId, invitationId, expiresAt } = issued;
    const token = await signToken(settings.signingKey, 'invitation', {
      subject: invitationSubject({ organizationId, invitationId, number: resent.number }),
      expiresAt: new Date(expiresAt),
    });
    return { token, url: `${settings.publicUrl}/auth?invite=${token}`, expiresAt };
  }

  /** Sends the mail of an invitation by address, once each time it was sent. */
  async #mailOut(state: Invitation): Promise<void> {
    const { issued, resent } = state;
    const to = issued && (await this.#reveal(issued, issued.email));
    if (!issued || !to) return;
    const { invitationId, organizationId } = issued;
    const { url } = await this.#linkOf(state);
    await this.#kit.mail.send({
      id: derivedId(invitationId, 'mail', String(resent.number)),
      organizationId,
      kind: 'invitation',
      to,
      recipientId: null,
      aboutId: invitationId,
      text: mailsEn.invitation({
        organization: await this.#organizations.nameOf(organizationId),
        role: issued.role,
        lastDay: issued.lastDay,
        message: await this.#reveal(issued, issued.message),
        url,
        days: VALID_DAYS,
      }),
    });
  }

  #reveal({ invitationId }: Issued, text: Issued['email']) {
    return text === null ? null : this.#kit.personKeys.reveal(invitationId, text);
  }

  /** Unsent mail with an older token is deleted. */
  #withdraw({ organizationId, invitationId }: Issued) {
    return this.#kit.mail.withdraw(organizationId, invitationId);
  }
}

const { InvitationResent } = invitationEvents;

/** Mails invitations whose process died before their mail was stored. */
export const mailInvitations = (invitations: Invitations): Reaction => {
  const follow = async ({ data }: StoredEvent) =>
    invitations.mailAgain(InvitationResent.schema.shape.invitationId.parse(data.invitationId));
  return reaction('mail-invitations', { InvitationIssued: follow, InvitationResent: follow });
};
