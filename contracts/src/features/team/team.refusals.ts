import { refusal } from '../../kernel/refusal.ts';

export const InvitationNotValid = refusal(
  'invitation-not-valid',
  409,
  'Invitation not valid',
  (p: { reason: 'unknown' | 'expired' | 'revoked' | 'used' | 'replaced' }) =>
    ({
      unknown: 'This invitation link is invalid or has expired. Ask for a new one.',
      expired: 'This invitation has expired. Ask for a new one.',
      revoked: 'This invitation has been revoked. Ask for a new one.',
      used: 'This invitation has already been used. Sign in, or ask for a new one.',
      replaced: 'A newer invitation has been sent. Use its link instead.',
    })[p.reason],
);
export const InvitationForAnotherAddress = refusal(
  'invitation-for-another-address',
  409,
  'Invitation for another address',
  () => 'This invitation is for another email address. Sign up with that address.',
);
export const InvitationAlreadyAccepted = refusal(
  'invitation-already-accepted',
  409,
  'Invitation already accepted',
  () => 'This invitation has already been accepted.',
);
export const EmailHasAccount = refusal(
  'email-has-account',
  409,
  'Account exists',
  /** `member`: of this organization; `elsewhere`: of another one. */
  (p: { reason: 'member' | 'elsewhere' }) =>
    ({
      member: 'This address already belongs to a member of the organization.',
      elsewhere:
        'This address already has an account in another organization, and an account belongs to one organization. Ask for an invitation to another address, or erase that account and open this link again.',
    })[p.reason],
);
