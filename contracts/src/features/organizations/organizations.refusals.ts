import { refusal } from '../../kernel/refusal.ts';

export const LastAdmin = refusal(
  'last-admin',
  409,
  'Last Admin',
  () => 'An organization needs at least one Admin. Make another member an Admin first.',
);
export const OwnMembership = refusal(
  'own-membership',
  409,
  'Your own membership',
  () => "You can't remove yourself or change your own role. Ask another Admin.",
);
export const MemberAddressTaken = refusal(
  'member-address-taken',
  409,
  'Address taken',
  () => 'This email address now belongs to another account. You can invite the member again.',
);
export const LegalHoldStands = refusal(
  'legal-hold',
  409,
  'Legal hold',
  () => 'A legal hold stands. An Admin has to lift it first.',
);
export const MemberNotActive = refusal(
  'member-not-active',
  409,
  'Member not active',
  () => 'This member was removed. Reactivate them first.',
);
