import { refusal } from '../../kernel/refusal.ts';

export const PoliciesNeedAdmin = refusal(
  'policies-need-admin',
  403,
  'Needs an Admin',
  () =>
    'Only an Admin can let a tool act without approval, or change a tool that may. Set its policies to ask first.',
);
