import { StepTaken } from '@tallyhand/contracts/features/sessions/sessions.events';
import { sessionStepsModel } from '@tallyhand/read-models/features/sessions/session-steps.tables';
import { rowProjection } from '../../kernel/row-projection.ts';

export const sessionStepsProjection = rowProjection({
  model: sessionStepsModel,
  kinds: { StepTaken },
  table: 'session_steps',
  idOf: ({ stepId }) => stepId,
  first: { StepTaken: () => ({}) },
  next: {},
});
