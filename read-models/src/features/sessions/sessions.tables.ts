import { SESSION_STATUSES } from '@tallyhand/contracts/features/sessions/sessions.fields';
import type { SentenceParams } from '@tallyhand/contracts/kernel/sentence';
import { costOf, person } from '../../kernel/charges.ts';
import { readModel, readOne, readPage, shortened } from '../../kernel/read-model.ts';
import { stepsOf } from './session-steps.tables.ts';

export const sessionsModel = readModel({
  name: 'sessions',
  feature: 'sessions',
  version: 2,
  tables: {
    sessions: `
      session_id uuid primary key,
      organization_id uuid not null,
      agent_id uuid not null,
      status text not null,
      goal text not null,
      context text,
      current_step int not null,
      max_steps int not null,
      requested_by uuid not null,
      taken_over_by uuid,
      browser_session_id uuid,
      model text,
      end_reason text,
      error_message text,
      error_code text,
      error_params jsonb not null default '{}',
      outcome jsonb,
      created_at timestamptz not null,
      started_at timestamptz,
      ended_at timestamptz`,
  },
  indexes: [
    'create index on read_model.sessions (organization_id, status, created_at, session_id)',
    `create index on read_model.sessions
      (organization_id, agent_id, status, created_at, session_id)`,
  ],
});

export type SessionsTable = {
  session_id: string;
  organization_id: string;
  agent_id: string;
  status: string;
  goal: string;
  context: string | null;
  /** Steps of the agent. */
  current_step: number;
  max_steps: number;
  requested_by: string;
  taken_over_by: string | null;
  browser_session_id: string | null;
  model: string | null;
  end_reason: string | null;
  error_message: string | null;
  error_code: string | null;
  error_params: SentenceParams;
  outcome: unknown;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
};

const session = (context: string) => `
  s.session_id as id, s.agent_id as "agentId", a.name as "agentName", s.status,
  s.current_step as "currentStep", s.max_steps as "maxSteps", s.goal as "originalGoal",
  ${context} as context, used.credits as "totalCreditsUsed", s.created_at as "createdAt",
  s.started_at as "startedAt", s.ended_at as "endedAt",
  s.browser_session_id as "browserSessionId", s.model, s.end_reason as "endReason",
  s.error_message as "errorMessage", s.error_code as "errorCode",
  s.error_params as "errorParams", ${person('s.requested_by')} as "requestedBy",
  case when s.taken_over_by is not null then ${person('s.taken_over_by')} end as "takenOverBy",
  case when s.status = 'queued' then operational.sessions_before(s.session_id) end
    as "queuePosition",
  json_build_object('finalOutcome', s.outcome || jsonb_build_object(
    'totalSteps', s.current_step, 'totalCredits', used.credits)) as "workspaceData"`;

const JOINED = `
  left join read_model.agents a on a.agent_id = s.agent_id and a.deleted_at is null
  cross join lateral (select coalesce(sum(${costOf('step', 't.step_id')}), 0)::bigint as credits
    from read_model.session_steps t
    where t.session_id = s.session_id and t.taken_by is null) used`;

export const readSessions = readPage(
  'sessions',
  {
    table: 'read_model.sessions',
    as: 's',
    at: 'created_at',
    id: 'session_id',
    filters: {
      agent: { column: 'agent_id' },
      status: { column: 'status', values: SESSION_STATUSES },
    },
    select: session(shortened('s.context')),
    joins: JOINED,
  },
  { status: 'text', agent: 'uuid' },
);

export const readSession = readOne(
  'session',
  { id: 'uuid' },
  `select to_json(one) as session, ${stepsOf('one.id')} as steps
   from (select ${session('s.context')} from read_model.sessions s ${JOINED}
     where s.organization_id = me.organization_id and s.session_id = p_id) one`,
);

export const readSessionSteps = readOne(
  'session_steps',
  { id: 'uuid' },
  `select ${stepsOf('s.session_id')} as steps from read_model.sessions s
   where s.organization_id = me.organization_id and s.session_id = p_id`,
);

/** A PNG as base64 without line breaks; the command service keeps them. */
export const readImage = readOne(
  'image',
  { hash: 'text' },
  `select translate(encode(i.content, 'base64'), E'\\n', '') as content
   from operational.images i
   where i.organization_id = me.organization_id and i.hash = p_hash`,
);
