import { CHARGE, chargedFor, costOf, person } from '../../kernel/charges.ts';
import { readModel } from '../../kernel/read-model.ts';

export const sessionStepsModel = readModel({
  name: 'session-steps',
  feature: 'sessions',
  version: 2,
  tables: {
    session_steps: `
      step_id uuid primary key,
      organization_id uuid not null,
      session_id uuid not null,
      step_number int not null,
      taken_by uuid,
      action text not null,
      tool_used text,
      input text not null,
      output text not null,
      reasoning text,
      success boolean not null,
      interrupted boolean not null,
      execution_time_ms int not null,
      url text,
      title text,
      screenshots jsonb not null,
      finding jsonb,
      created_at timestamptz not null`,
  },
  indexes: ['create index on read_model.session_steps (session_id, step_number)'],
});

export type SessionStepsTable = {
  step_id: string;
  organization_id: string;
  session_id: string;
  step_number: number;
  taken_by: string | null;
  action: string;
  tool_used: string | null;
  input: string;
  output: string;
  reasoning: string | null;
  success: boolean;
  interrupted: boolean;
  execution_time_ms: number;
  url: string | null;
  title: string | null;
  /** The hashes of images. */
  screenshots: readonly string[];
  finding: unknown;
  created_at: string;
};

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
