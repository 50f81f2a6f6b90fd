import { SESSION_STATUSES } from '@tallyhand/contracts/features/sessions/sessions.fields';
import type { SentenceParams } from '@tallyhand/contracts/kernel/sentence';
import { costOf, person } from '../../kernel/charges.ts';
import { int, json, orNull, text, timestamp, uuid, withDefault } from '../../kernel/columns.ts';
import { readOne, readPage, shortened } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';
import { stepsOf } from './session-steps.tables.ts';

export const sessionsModel = readModel({
  name: 'sessions',
  feature: 'sessions',
  version: 2,
  tables: {
    sessions: table({
      key: ['session_id'],
      columns: {
        session_id: uuid,
        organization_id: uuid,
        agent_id: uuid,
        status: text,
        goal: text,
        context: orNull(text),
        /** Steps of the agent. */
        current_step: int,
        max_steps: int,
        requested_by: uuid,
        taken_over_by: orNull(uuid),
        browser_session_id: orNull(uuid),
        model: orNull(text),
        end_reason: orNull(text),
        error_message: orNull(text),
        error_code: orNull(text),
        error_params: withDefault(json<SentenceParams>(), "'{}'"),
        outcome: orNull(json<unknown>()),
        created_at: timestamp,
        started_at: orNull(timestamp),
        ended_at: orNull(timestamp),
      },
      indexes: [
        '(organization_id, status, created_at, session_id)',
        '(organization_id, agent_id, status, created_at, session_id)',
      ],
    }),
  },
});

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
