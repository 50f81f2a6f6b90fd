import { CHARGE, chargedFor, costOf, person } from '../../kernel/charges.ts';
import { boolean, int, json, orNull, text, timestamp, uuid } from '../../kernel/columns.ts';
import { readModel, table } from '../../kernel/read-model.ts';

export const sessionStepsModel = readModel({
  name: 'session-steps',
  feature: 'sessions',
  version: 2,
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
        /** The hashes of images. */
        screenshots: json<readonly string[]>(),
        finding: orNull(json<unknown>()),
        created_at: timestamp,
      },
      indexes: ['(session_id, step_number)'],
    }),
  },
});

/** The steps of a session as JSON; the images themselves are added where they are asked for. */
export const stepsOf = (sessionId: string) => `
  (select coalesce(json_agg(step order by step."stepNumber"), '[]') from (
    select t.step_id as id, t.step_number as "stepNumber", t.action, t.tool_used as "toolUsed",
      t.input, t.output, t.reasoning, t.success, t.interrupted,
      ${costOf('step', 't.step_id')} as "creditsUsed",
      t.execution_time_ms as "executionTimeMs", t.created_at as "createdAt",
      case when t.taken_by is not null then ${person('t.taken_by')} end as "takenBy",
      t.finding, ${CHARGE} as charge,
      json_build_object('url', t.url, 'title', t.title, 'screenshots', '[]'::json,
        'screenshotUrls', (select coalesce(json_agg('/api/blobs/' || image.hash), '[]')
          from jsonb_array_elements_text(t.screenshots) image (hash))) as metadata
    from read_model.session_steps t ${chargedFor('step', 't.step_id')}
    where t.session_id = ${sessionId}) step)`;
