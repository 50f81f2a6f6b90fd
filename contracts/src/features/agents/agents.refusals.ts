import { refusal } from '../../kernel/refusal.ts';

export const AgentPausedNow = refusal(
  'agent-paused',
  409,
  'Agent paused',
  () => 'This agent is paused. Activate it to run tasks.',
);
export const FormPolicyNeedsAdmin = refusal(
  'form-policy-needs-admin',
  403,
  'Needs an Admin',
  () => 'Only an Admin can loosen what happens before an agent sends a form.',
);
