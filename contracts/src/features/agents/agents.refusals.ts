import { refusal } from '../../kernel/refusal.ts';

export const AgentPausedNow = refusal(
  'agent-paused',
  409,
  'Agent paused',
  () => 'This agent is paused. Activate it to run tasks.',
);
export const AgentNotDeleted = refusal(
  'agent-not-deleted',
  409,
  'Agent not deleted',
  () => 'This agent is not deleted, so there is nothing to restore.',
);
