import { refusal } from '../../kernel/refusal.ts';

export const LastAdmin = refusal(
  'last-admin',
  409,
  'Last Admin',
  () => 'This is the only Admin. Make another member an Admin first.',
);
export const OwnMembership = refusal(
  'own-membership',
  409,
  'Your own membership',
  () => 'You cannot remove yourself or change your own role. Ask another Admin.',
);
export const MemberAddressTaken = refusal(
  'member-address-taken',
  409,
  'Address taken',
  () =>
    'The email address of this person now belongs to another account. You can invite them again.',
);
export const MemberNotActive = refusal(
  'member-not-active',
  409,
  'Member not active',
  () => 'This member was removed. Reactivate them first.',
);
