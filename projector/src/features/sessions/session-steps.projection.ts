import { StepTaken } from '@tallyhand/contracts/features/sessions/sessions.events';
import type { EventOf } from '@tallyhand/contracts/kernel/messages';
import { sessionStepsModel } from '@tallyhand/read-models/features/sessions/session-steps.tables';
import { rowProjection } from '../../kernel/row-projection.ts';

export const sessionStepsProjection = rowProjection<
  EventOf<typeof StepTaken>,
  'session_steps',
  'StepTaken'
>({
  model: sessionStepsModel,
  kinds: { StepTaken },
  table: 'session_steps',
  key: 'step_id',
  idOf: ({ stepId }) => stepId,
  first: {
    // What it cost is the ledger's to say.
    StepTaken: (data, { at }) => ({
      step_id: data.stepId,
      organization_id: data.organizationId,
      session_id: data.sessionId,
      step_number: data.stepNumber,
      taken_by: data.takenBy,
      action: data.action,
      tool_used: data.toolUsed,
      input: data.input,
      output: data.output,
      reasoning: data.reasoning,
      success: data.success,
      interrupted: data.interrupted,
      execution_time_ms: data.executionTimeMs,
      url: data.url,
      title: data.title,
      screenshots: data.screenshots,
      finding: data.finding,
      created_at: at,
    }),
  },
  next: {},
});
