import { StepTaken, sessionEvents } from '@tallyhand/contracts/features/sessions/sessions.events';
import {
  sessionStepsModel,
  sessionsModel,
} from '@tallyhand/read-models/features/sessions/sessions.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { NOT_WAITING, withAsked, withDecision } from '../../kernel/approvals.ts';
import { rowProjection } from '../../kernel/row-projection.ts';

export const sessionsProjection = rowProjection({
  model: sessionsModel,
  kinds: sessionEvents,
  table: 'sessions',
  idOf: ({ sessionId }) => sessionId,
  first: {
    SessionRequested: () => ({
      status: 'queued',
      current_step: 0,
      error_params: {},
      approvals: [],
      ...NOT_WAITING,
    }),
  },
  next: {
    SessionStarted: ({ started_at, ...row }, _, { named, at }) => ({
      ...named,
      ...withoutForm(row),
      status: 'running',
      // Another browser may continue a session.
      started_at: started_at ?? at,
    }),
    StepTaken: ({ current_step }, { takenBy, interrupted }) => ({
      // An approval counts for one step of the agent.
      ...(takenBy === null ? NOT_WAITING : {}),
      // Steps of people, and the agent's steps that they interrupt, do not count.
      current_step: current_step + (takenBy === null && !interrupted ? 1 : 0),
    }),
    SessionTakenOver: (_row, _event, { named }) => ({ ...named, ...NOT_WAITING }),
    SessionHandedBack: () => ({ taken_over_by: null }),
    SessionApprovalRequested: ({ approvals }, event, { at }) => withAsked(approvals, event, at),
    SessionApprovalDecided: ({ approvals }, event, { at }) => withDecision(approvals, event, at),
    SessionApprovalUsed: 'ignored',
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

/** A form that waits is lost with its browser. */
const withoutForm = ({ approvals }: Pick<Row<'sessions'>, 'approvals'>) =>
  approvals.at(-1)?.toolId === null ? NOT_WAITING : {};

const ended = (
  status: string,
  { reason, outcome }: { readonly reason: string; readonly outcome: unknown },
  at: string,
) => ({
  ...NOT_WAITING,
  status,
  end_reason: reason,
  outcome,
  ended_at: at,
  taken_over_by: null,
});

export const sessionStepsProjection = rowProjection({
  model: sessionStepsModel,
  kinds: { StepTaken },
  table: 'session_steps',
  idOf: ({ stepId }) => stepId,
  first: { StepTaken: ({ usage = [] }) => ({ usage }) },
  next: {},
});
