import { StepTaken, sessionEvents } from '@tallyhand/contracts/features/sessions/sessions.events';
import {
  sessionStepsModel,
  sessionsModel,
} from '@tallyhand/read-models/features/sessions/sessions.tables';
import { rowProjection } from '../../kernel/row-projection.ts';

export const sessionsProjection = rowProjection({
  model: sessionsModel,
  kinds: sessionEvents,
  table: 'sessions',
  idOf: ({ sessionId }) => sessionId,
  first: { SessionRequested: () => ({ status: 'queued', current_step: 0, error_params: {} }) },
  next: {
    SessionStarted: ({ started_at }, _, { named, at }) => ({
      ...named,
      status: 'running',
      // Another browser may continue a session.
      started_at: started_at ?? at,
    }),
    StepTaken: ({ current_step }, { takenBy, interrupted }) => ({
      // Steps of people, and the agent's steps that they interrupt, do not count.
      current_step: current_step + (takenBy === null && !interrupted ? 1 : 0),
    }),
    SessionTakenOver: 'by-name',
    SessionHandedBack: () => ({ taken_over_by: null }),
    SessionCompleted: (_, data, { at }) => ended('completed', data, at),
    SessionFailed: (_, data, { at }) => ({
      ...ended('failed', data, at),
      error_message: data.error,
      error_code: data.code,
      error_params: data.params,
    }),
    SessionTerminated: (_, data, { at }) => ended('terminated', data, at),
  },
});

const ended = (
  status: string,
  { reason, outcome }: { readonly reason: string; readonly outcome: unknown },
  at: string,
) => ({ status, end_reason: reason, outcome, ended_at: at, taken_over_by: null });

export const sessionStepsProjection = rowProjection({
  model: sessionStepsModel,
  kinds: { StepTaken },
  table: 'session_steps',
  idOf: ({ stepId }) => stepId,
  first: { StepTaken: ({ usage = [] }) => ({ usage }) },
  next: {},
});
