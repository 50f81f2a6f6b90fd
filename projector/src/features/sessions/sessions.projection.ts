import {
  type SessionEvent,
  sessionEvents,
} from '@tallyhand/contracts/features/sessions/sessions.events';
import { sessionsModel } from '@tallyhand/read-models/features/sessions/sessions.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { rowProjection } from '../../kernel/row-projection.ts';

export const sessionsProjection = rowProjection<SessionEvent, 'sessions', 'SessionRequested'>({
  model: sessionsModel,
  kinds: sessionEvents,
  table: 'sessions',
  key: 'session_id',
  idOf: ({ sessionId }) => sessionId,
  first: {
    SessionRequested: (data, { at }) => ({
      session_id: data.sessionId,
      organization_id: data.organizationId,
      agent_id: data.agentId,
      status: 'queued',
      goal: data.goal,
      context: data.context,
      current_step: 0,
      max_steps: data.maxSteps,
      requested_by: data.requestedBy,
      taken_over_by: null,
      browser_session_id: null,
      model: null,
      end_reason: null,
      outcome: null,
      error_message: null,
      error_code: null,
      error_params: {},
      created_at: at,
      started_at: null,
      ended_at: null,
    }),
  },
  next: {
    SessionStarted: (row, { browserSessionId, model }, { at }) => ({
      ...row,
      status: 'running',
      browser_session_id: browserSessionId,
      model,
      // Another browser takes up what the first began.
      started_at: row.started_at ?? at,
    }),
    StepTaken: (row, { takenBy, interrupted }) => ({
      ...row,
      // Steps of people, and those that they interrupted, use up none of the agent's.
      current_step: row.current_step + (takenBy === null && !interrupted ? 1 : 0),
    }),
    SessionTakenOver: (row, { takenOverBy }) => ({ ...row, taken_over_by: takenOverBy }),
    SessionHandedBack: (row) => ({ ...row, taken_over_by: null }),
    SessionCompleted: (row, data, { at }) => ended(row, 'completed', data, at),
    SessionFailed: (row, data, { at }) => ({
      ...ended(row, 'failed', data, at),
      error_message: data.error,
      error_code: data.code,
      error_params: data.params,
    }),
    SessionTerminated: (row, data, { at }) => ended(row, 'terminated', data, at),
  },
});

const ended = (
  row: Row<'sessions'>,
  status: string,
  { reason, outcome }: { readonly reason: string; readonly outcome: unknown },
  at: string,
): Row<'sessions'> => ({
  ...row,
  status,
  end_reason: reason,
  outcome,
  ended_at: at,
  taken_over_by: null,
});
