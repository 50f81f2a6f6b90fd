import { refusal } from '../../kernel/refusal.ts';

export const PoliciesNeedAdmin = refusal(
  'policies-need-admin',
  403,
  'Needs an Admin',
  () =>
    'Only an Admin can loosen the policies of a tool, or change what it does while they allow changes or name operations.',
);
