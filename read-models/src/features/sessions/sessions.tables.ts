import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import { Session, SessionStep } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { SESSION_STATUSES } from '@tallyhand/contracts/features/sessions/sessions.fields';
import type { SentenceParams } from '@tallyhand/contracts/kernel/sentence';
import { type ApprovalRow, approvalsOf } from '../../kernel/approvals.ts';
import { CHARGE, chargedFor, costOf, person } from '../../kernel/charges.ts';
import {
  boolean,
  int,
  json,
  orNull,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../kernel/columns.ts';
import { readOne, readPage, selectOf, shortened } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

export const sessionStepsModel = readModel({
  name: 'session-steps',
  feature: 'sessions',
  version: 3,
  tables: {
    session_steps: table({
      key: ['step_id'],
      columns: {
        step_id: uuid,
        organization_id: uuid,
        session_id: uuid,
        step_number: int,
        taken_by: orNull(uuid),
        action: text,
        tool_used: orNull(text),
        input: text,
        output: text,
        reasoning: orNull(text),
        success: boolean,
        interrupted: boolean,
        execution_time_ms: int,
        url: orNull(text),
        title: orNull(text),
        /** Hashes of images. */
        screenshots: json<readonly string[]>(),
        finding: orNull(json<unknown>()),
        usage: withDefault(json<readonly ModelUsage[]>(), "'[]'"),
        created_at: timestamp,
      },
      indexes: ['(session_id, step_number)'],
    }),
  },
});

const STEP_COST = costOf('step', 't.step_id', 't.success and not t.interrupted');

const STEP = selectOf(SessionStep, sessionStepsModel.tables.session_steps, 't', {
  id: 't.step_id',
  creditsUsed: STEP_COST,
  takenBy: `case when t.taken_by is not null then ${person('t.taken_by')} end`,
  charge: CHARGE,
  metadata: `json_build_object('url', t.url, 'title', t.title, 'screenshots', '[]'::json,
    'screenshotUrls', (select coalesce(json_agg('/api/blobs/' || image.hash), '[]')
      from jsonb_array_elements_text(t.screenshots) image (hash)))`,
});

/** The steps of a session as JSON, without images. */
export const stepsOf = (sessionId: string) => `
  (select coalesce(json_agg(step order by step."stepNumber"), '[]') from (
    select ${STEP}
    from read_model.session_steps t ${chargedFor('step', 't.step_id')}
    where t.session_id = ${sessionId}) step)`;

export const sessionsModel = readModel({
  name: 'sessions',
  feature: 'sessions',
  version: 3,
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
        /** Steps taken by the agent. */
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
        approvals: withDefault(json<readonly ApprovalRow[]>(), "'[]'"),
        /** The call or form that waits for a decision, and since when. */
        approval_id: orNull(uuid),
        approval_at: orNull(timestamp),
        created_at: timestamp,
        started_at: orNull(timestamp),
        ended_at: orNull(timestamp),
      },
      indexes: [
        '(organization_id, status, created_at, session_id)',
        '(organization_id, agent_id, status, created_at, session_id)',
        '(organization_id, approval_at, approval_id) where approval_id is not null',
      ],
    }),
  },
});

const session = (context: string) =>
  selectOf(Session, sessionsModel.tables.sessions, 's', {
    id: 's.session_id',
    agentName: 'a.name',
    originalGoal: 's.goal',
    context,
    totalCreditsUsed: 'used.credits',
    // The steps are another model's rows, and may come later.
    freeSteps: 'greatest(used.steps - s.current_step, 0)',
    requestedBy: person('s.requested_by'),
    takenOverBy: `case when s.taken_over_by is not null then ${person('s.taken_over_by')} end`,
    queuePosition: `case when s.status = 'queued' then operational.sessions_before(s.session_id) end`,
    workspaceData: `json_build_object('finalOutcome', s.outcome || jsonb_build_object(
      'totalSteps', used.steps, 'totalCredits', used.credits))`,
  });

const JOINED = `
  left join read_model.agents a on a.agent_id = s.agent_id and a.deleted_at is null
  cross join lateral (select count(*)::int as steps,
      coalesce(sum(${STEP_COST}) filter (where t.taken_by is null), 0)::bigint
        as credits
    from read_model.session_steps t where t.session_id = s.session_id) used`;

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
  `select to_json(one) as session, (select ${approvalsOf('w.approvals')}
       from read_model.sessions w where w.session_id = one.id) as approvals,
     ${stepsOf('one.id')} as steps
   from (select ${session('s.context')} from read_model.sessions s ${JOINED}
     where s.organization_id = me.organization_id and s.session_id = p_id) one`,
);

export const readSessionSteps = readOne(
  'session_steps',
  { id: 'uuid' },
  `select ${stepsOf('s.session_id')} as steps from read_model.sessions s
   where s.organization_id = me.organization_id and s.session_id = p_id`,
);

/** A PNG as base64 without line breaks. The command service stores images. */
export const readImage = readOne(
  'image',
  { hash: 'text' },
  `select translate(encode(i.content, 'base64'), E'\\n', '') as content
   from operational.images i
   where i.organization_id = me.organization_id and i.hash = p_hash`,
);
