import { invitationSubject } from '@tallyhand/contracts/features/team/invitation-token';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { signToken } from '@tallyhand/service-kit/crypto/tokens';
import type { Kit } from '../../kit/app.ts';
import { mailsEn } from '../../messages/mails-en.ts';
import type { Invitation } from './invitation.decider.ts';

export const VALID_DAYS = 7;

export type Issued = NonNullable<Invitation['issued']>;

export type HandOverSteps = {
  readonly organizationName: (organizationId: string) => Promise<string>;
};

/** How an invitation reaches whom it is for: by its link, and by mail. */
export function handOverOf(kit: Kit, { organizationName }: HandOverSteps) {
  const { settings, personKeys, mail } = kit;

  /** The same again for the same state: the token is kept nowhere. */
  async function handOver({ issued, resent }: Invitation) {
    if (!issued) throw new Error('There is no invitation to hand over');
    const { organizationId, invitationId, expiresAt } = issued;
    const token = await signToken(settings.signingKey, 'invitation', {
      subject: invitationSubject({ organizationId, invitationId, number: resent.number }),
      expiresAt: new Date(expiresAt),
    });
    return { token, url: `${settings.publicUrl}/auth?invite=${token}`, expiresAt };
  }

  const reveal = ({ invitationId }: Issued, text: Issued['email']) =>
    text === null ? null : personKeys.reveal(invitationId, text);

  /** Mails an invitation by address as it is now, once for each time that it was sent. */
  async function mailOut(state: Invitation): Promise<void> {
    const { issued, resent } = state;
    const to = issued && (await reveal(issued, issued.email));
    if (!issued || !to) return;
    const { invitationId, organizationId } = issued;
    const { url } = await handOver(state);
    await mail.send({
      id: derivedId(invitationId, 'mail', String(resent.number)),
      organizationId,
      kind: 'invitation',
      to,
      recipientId: null,
      aboutId: invitationId,
      text: mailsEn.invitation({
        organization: await organizationName(organizationId),
        role: issued.role,
        message: await reveal(issued, issued.message),
        url,
        days: VALID_DAYS,
      }),
    });
  }

  return { reveal, handOver, mailOut };
}
