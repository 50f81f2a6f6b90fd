import { refusal } from '../../kernel/refusal.ts';

export const AgentPausedNow = refusal(
  'agent-paused',
  409,
  'Agent paused',
  () => 'This agent is paused. Activate it to run tasks.',
);
