import {
  InvitationAccepted,
  InvitationIssued,
  InvitationResent,
  InvitationRevoked,
} from '@tallyhand/contracts/features/team/team.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { invitationStream, whyNotAcceptable } from './invitation.decider.ts';

const organizationId = derivedId('organization');
const stranger = derivedId('another organization');
const own = { invitationId: derivedId('invitation'), organizationId };
const ada = derivedId('ada');
const ben = derivedId('ben');
const expiresAt = '2026-11-28T08:00:00.000Z';
const lastMoment = '2026-11-28T07:59:59.999Z';

const byEmail = {
  ...own,
  kind: 'email' as const,
  email: 'sealed' as Ciphertext,
  emailKey: 'key of ada',
  role: 'Editor' as const,
  lastDay: null,
  message: null,
  invitedBy: derivedId('admin'),
  expiresAt,
};
const byLink = {
  ...byEmail,
  kind: 'link' as const,
  email: null,
  emailKey: null,
  role: 'Viewer' as const,
};

const issue = (data: Parameters<typeof InvitationIssued>[0]) => ({
  type: 'IssueInvitation' as const,
  data,
});
const revoke = (by = organizationId) => ({
  type: 'RevokeInvitation' as const,
  data: { organizationId: by },
});
const accept = (userId: string, emailKey: string, now = lastMoment) => ({
  type: 'AcceptInvitation' as const,
  data: { userId, emailKey, now },
});

const later = '2026-12-02T08:00:00.000Z';
const resend = (resendId: string, by = organizationId) => ({
  type: 'ResendInvitation' as const,
  data: { organizationId: by, resendId, expiresAt: later, now: expiresAt },
});
const resent = (resendId: string, number = 1) =>
  InvitationResent({ ...own, resendId, number, expiresAt: later });

const issued = InvitationIssued(byEmail);
const link = InvitationIssued(byLink);
const revoked = InvitationRevoked(own);
const accepted = (userId: string) => InvitationAccepted({ ...own, userId });

/** An Auditor's, whose access would end before the invitation does. */
const ofAuditor = { ...byEmail, role: 'Auditor' as const, lastDay: '2026-11-26' };
const endOfAccess = '2026-11-27T00:00:00.000Z';

const given = rulesOf(invitationStream);

describe('IssueInvitation', () => {
  it('issues the invitation', () => {
    given().when(issue(byEmail)).thenAppended(issued);
    given().when(issue(byLink)).thenAppended(link);
  });
  it('of an Auditor ends with the access that it offers, if that is earlier', () => {
    const shorter = InvitationIssued({ ...ofAuditor, expiresAt: endOfAccess });
    given().when(issue(ofAuditor)).thenAppended(shorter);
    given(shorter)
      .when(accept(ada, 'key of ada', endOfAccess))
      .thenRefused('invitation-not-valid', { reason: 'expired' });
    const longer = { ...ofAuditor, lastDay: '2026-12-24' };
    given().when(issue(longer)).thenAppended(InvitationIssued(longer));
  });
  it('does nothing when repeated, so that its expiry does not move', () => {
    given(issued)
      .when(issue({ ...byEmail, expiresAt: '2027-01-01T00:00:00.000Z' }))
      .thenNothing();
  });
});

describe('AcceptInvitation', () => {
  it('lets the invited address in, up to the last moment', () => {
    given(issued).when(accept(ada, 'key of ada')).thenAppended(accepted(ada));
  });
  it('is refused from the moment on at which it expires', () => {
    given(issued)
      .when(accept(ada, 'key of ada', expiresAt))
      .thenRefused('invitation-not-valid', { reason: 'expired' });
  });
  it('is refused to another address', () => {
    given(issued).when(accept(ben, 'key of ben')).thenRefused('invitation-for-another-address');
  });
  it('is refused once it has been used', () => {
    given(issued, accepted(ada))
      .when(accept(ben, 'key of ada'))
      .thenRefused('invitation-not-valid', { reason: 'used' });
  });
  it('lets everybody in by a link, each once', () => {
    given(link, accepted(ada)).when(accept(ben, 'key of ben')).thenAppended(accepted(ben));
  });
  it('does nothing when the same person accepts again, even after it expired', () => {
    given(issued, accepted(ada))
      .when(accept(ada, 'key of ada', expiresAt))
      .thenNothing();
    given(link, accepted(ada), revoked).when(accept(ada, 'key of ada')).thenNothing();
  });
  it('is refused when it was withdrawn, or never issued', () => {
    given(link, revoked)
      .when(accept(ada, 'key of ada'))
      .thenRefused('invitation-not-valid', { reason: 'revoked' });
    given()
      .when(accept(ada, 'key of ada'))
      .thenRefused('invitation-not-valid', { reason: 'unknown' });
  });
  it('is refused for the reason that the check reported', () => {
    const late = { emailKey: 'key of ada', now: expiresAt };
    expect(whyNotAcceptable(given(issued).state(), late)).toMatchObject({
      code: 'invitation-not-valid',
    });
    const now = { emailKey: 'key of ada', now: lastMoment };
    expect(whyNotAcceptable(given(issued).state(), now)).toBeNull();
  });
});

describe('ResendInvitation', () => {
  const [first, second] = [derivedId('first'), derivedId('second')];
  it('gives the invitation a new expiry, and counts how often', () => {
    given(issued).when(resend(first)).thenAppended(resent(first));
    given(issued, resent(first)).when(resend(second)).thenAppended(resent(second, 2));
  });
  it('of an Auditor never outlasts the offered access', () => {
    const upTo = (lastDay: string) => given(InvitationIssued({ ...ofAuditor, lastDay }));
    upTo('2026-11-30')
      .when(resend(first))
      .thenAppended(
        InvitationResent({
          ...own,
          resendId: first,
          number: 1,
          expiresAt: '2026-12-01T00:00:00.000Z',
        }),
      );
    upTo('2026-11-27')
      .when(resend(first))
      .thenRefused('invitation-not-valid', { reason: 'expired' });
  });
  it('reopens an expired invitation', () => {
    given(issued, resent(first))
      .when(accept(ada, 'key of ada', expiresAt))
      .thenAppended(accepted(ada));
    given(issued, resent(first))
      .when(accept(ada, 'key of ada', later))
      .thenRefused('invitation-not-valid', { reason: 'expired' });
  });
  it('does nothing the second time it arrives', () => {
    given(issued, resent(first)).when(resend(first)).thenNothing();
  });
  it('is refused when it was revoked, or has been used', () => {
    given(issued, revoked)
      .when(resend(first))
      .thenRefused('invitation-not-valid', { reason: 'revoked' });
    given(issued, accepted(ada)).when(resend(first)).thenRefused('invitation-already-accepted');
  });
  it('is refused without an invitation by address, and for another organization', () => {
    for (const when of [given(), given(link)]) {
      when.when(resend(first)).thenRefused('not-found', { what: 'invitation' });
    }
    given(issued).when(resend(first, stranger)).thenRefused('not-found', { what: 'invitation' });
  });
});

describe('RevokeInvitation', () => {
  it('withdraws the invitation', () => {
    given(issued).when(revoke()).thenAppended(revoked);
  });
  it('withdraws a link that some have used', () => {
    given(link, accepted(ada)).when(revoke()).thenAppended(revoked);
  });
  it('does nothing the second time it arrives', () => {
    given(issued, revoked).when(revoke()).thenNothing();
  });
  it('is refused after the invited person has accepted', () => {
    given(issued, accepted(ada)).when(revoke()).thenRefused('invitation-already-accepted');
  });
  it('is refused for an unknown invitation, and for another organization', () => {
    given().when(revoke()).thenRefused('not-found', { what: 'invitation' });
    given(issued).when(revoke(stranger)).thenRefused('not-found', { what: 'invitation' });
  });
});
