import type { SentenceParams } from '@tallyhand/contracts/kernel/sentence';
import { CHARGE, COST, chargedFor, person } from '../../kernel/charges.ts';
import {
  inEachOrder,
  LIST_TEXT_MAX,
  readMany,
  readModel,
  readOne,
  readPage,
} from '../../kernel/read-model.ts';

export const tasksModel = readModel({
  name: 'tasks',
  feature: 'tasks',
  version: 4,
  tables: {
    tasks: `
      task_id uuid primary key,
      organization_id uuid not null,
      agent_id uuid not null,
      type text not null,
      status text not null,
      input text not null,
      output text,
      error_message text,
      error_code text,
      error_params jsonb not null default '{}',
      reasoning text,
      sources jsonb not null,
      model text,
      execution_time_ms int,
      requested_by uuid,
      retry_of uuid,
      playbook jsonb,
      steps jsonb not null default '[]',
      tool_calls jsonb not null default '[]',
      created_at timestamptz not null`,
  },
  indexes: [
    'create index on read_model.tasks (organization_id, created_at desc, task_id desc)',
    'create index on read_model.tasks (organization_id, status)',
  ],
});

export type TasksTable = {
  task_id: string;
  organization_id: string;
  agent_id: string;
  type: string;
  status: string;
  input: string;
  output: string | null;
  error_message: string | null;
  error_code: string | null;
  error_params: SentenceParams;
  reasoning: string | null;
  sources: readonly unknown[];
  model: string | null;
  execution_time_ms: number | null;
  requested_by: string | null;
  retry_of: string | null;
  playbook: unknown;
  steps: readonly unknown[];
  tool_calls: readonly unknown[];
  created_at: string;
};

const CHARGED = chargedFor('task', 't.task_id');

const task = (texts: string) => `
  t.task_id as id, t.agent_id as "agentId", t.type, t.status, ${texts},
  t.error_message as "errorMessage",
  t.error_code as "errorCode", t.error_params as "errorParams", t.reasoning, t.execution_time_ms as "executionTimeMs",
  ${COST} as "creditCost", t.created_at as "createdAt",
  ${person('t.requested_by')} as "requestedBy"`;

const FILTER = {
  q: 'text',
  status: 'text',
  type: 'text',
  agent: 'uuid',
  from: 'timestamptz',
  to: 'timestamptz',
} as const;

const FOUND = `t.organization_id = me.organization_id
  and (p_q is null or position(lower(p_q) in lower(t.input)) > 0
    or position(lower(p_q) in lower(t.output)) > 0)
  and (p_status is null or t.status = p_status) and (p_type is null or t.type = p_type)
  and (p_agent is null or t.agent_id = p_agent)
  and (p_from is null or t.created_at >= p_from) and (p_to is null or t.created_at < p_to)`;

const LISTED = `
  select ${task(`left(t.input, ${LIST_TEXT_MAX}) as input, left(t.output, ${LIST_TEXT_MAX}) as output,
    greatest(length(t.input), length(coalesce(t.output, ''))) > ${LIST_TEXT_MAX} as truncated`)}
  from read_model.tasks t ${CHARGED} where ${FOUND}`;

export const readTasks = inEachOrder((order, suffix) => ({
  ...readPage(`tasks${suffix}`, LISTED, FILTER, order),
  isPlannedEachTime: true,
}));

/** Whole, after one that is known by its moment and its id, oldest first. */
export const readTasksAfter = readMany(
  'tasks_after',
  { ...FILTER, at: 'timestamptz', id: 'uuid', limit: 'int' },
  `select ${task('t.input, t.output')}, a.name as "agentName"
   from read_model.tasks t ${CHARGED} left join read_model.agents a on a.agent_id = t.agent_id
   where ${FOUND} and (p_at is null or (t.created_at, t.task_id) > (p_at, p_id))
   order by t.created_at, t.task_id limit p_limit`,
);

export const readTask = readOne(
  'task',
  { id: 'uuid' },
  `select ${task('t.input, t.output')}, a.name as "agentName", t.model, t.sources,
     t.retry_of as "retryOf", t.steps, t.tool_calls as "toolCalls",
     case when t.playbook is null then null else json_build_object('id',
       t.playbook->'playbookId', 'title', t.playbook->'title', 'version', t.playbook->'version')
       end as playbook,
     ${CHARGE} as charge
   from read_model.tasks t ${CHARGED}
   left join read_model.agents a on a.agent_id = t.agent_id and a.deleted_at is null
   where t.organization_id = me.organization_id and t.task_id = p_id`,
);

export const readTaskStats = readOne(
  'task_stats',
  {},
  `select count(*)::int as total,
     count(*) filter (where status = 'success')::int as success,
     count(*) filter (where status = 'failed')::int as failed,
     count(*) filter (where status in ('queued', 'running'))::int as running,
     count(*) filter (where created_at >= date_trunc('month', now(), 'UTC'))::int
       as "createdThisMonth",
     (select coalesce(sum(credits), 0)::int from read_model.usage_daily
       where organization_id = me.organization_id) as "creditsUsed"
   from read_model.tasks where organization_id = me.organization_id`,
);
