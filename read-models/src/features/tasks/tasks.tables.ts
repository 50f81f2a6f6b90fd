import { TASK_STATUSES, TASK_TYPES } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { SentenceParams } from '@tallyhand/contracts/kernel/sentence';
import { CHARGE, chargedFor, costOf, person } from '../../kernel/charges.ts';
import {
  inEachOrder,
  isShortened,
  orElse,
  readModel,
  readOne,
  readPage,
  shortened,
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
    task_counts: `
      organization_id uuid not null,
      month date not null,
      status text not null,
      count bigint not null,
      primary key (organization_id, month, status)`,
  },
  counts: {
    task_counts: `select organization_id, date_trunc('month', created_at, 'UTC')::date, status,
      count(*) from read_model.tasks group by 1, 2, 3`,
  },
  indexes: [
    'create index on read_model.tasks (organization_id, status, type, created_at, task_id)',
    `create index on read_model.tasks
      (organization_id, agent_id, status, type, created_at, task_id)`,
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

/** By the month (UTC) in which the tasks were requested, as its first day. */
export type TaskCountsTable = {
  organization_id: string;
  month: string;
  status: string;
  count: number;
};

const task = (texts: string) => `
  t.task_id as id, t.agent_id as "agentId", t.type, t.status, ${texts},
  t.error_message as "errorMessage",
  t.error_code as "errorCode", t.error_params as "errorParams", t.reasoning, t.execution_time_ms as "executionTimeMs",
  ${costOf('task', 't.task_id')} as "creditCost", t.created_at as "createdAt",
  ${person('t.requested_by')} as "requestedBy"`;

const FILTER = {
  q: 'text',
  status: 'text',
  type: 'text',
  agent: 'uuid',
  from: 'timestamptz',
  to: 'timestamptz',
} as const;

const FOUND = {
  table: 'read_model.tasks',
  as: 't',
  at: 'created_at',
  id: 'task_id',
  since: orElse('p_from', `'-infinity'`),
  until: orElse('p_to', `'infinity'`),
  search: {
    argument: 'q',
    where: `position(lower(p_q) in lower(t.input)) > 0
      or position(lower(p_q) in lower(t.output)) > 0`,
  },
  filters: {
    agent: { column: 'agent_id' },
    status: { column: 'status', values: TASK_STATUSES },
    type: { column: 'type', values: TASK_TYPES },
  },
};

export const readTasks = inEachOrder((order, suffix) =>
  readPage(
    `tasks${suffix}`,
    {
      ...FOUND,
      select: task(`${shortened('t.input')} as input, ${shortened('t.output')} as output,
        (${isShortened('t.input')}) or (${isShortened('t.output')}) as truncated`),
    },
    FILTER,
    order,
  ),
);

/** Whole, oldest first. */
export const readWholeTasks = readPage(
  'whole_tasks',
  {
    ...FOUND,
    select: `${task('t.input, t.output')}, a.name as "agentName"`,
    joins: `left join read_model.agents a on a.agent_id = t.agent_id`,
  },
  FILTER,
  'oldest',
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
   from read_model.tasks t ${chargedFor('task', 't.task_id')}
   left join read_model.agents a on a.agent_id = t.agent_id and a.deleted_at is null
   where t.organization_id = me.organization_id and t.task_id = p_id`,
);

const sumWhere = (condition: string) => `coalesce(sum(count) filter (where ${condition}), 0)::int`;

export const readTaskStats = readOne(
  'task_stats',
  {},
  `select ${sumWhere('true')} as total, ${sumWhere(`status = 'success'`)} as success,
     ${sumWhere(`status = 'failed'`)} as failed,
     ${sumWhere(`status in ('queued', 'running')`)} as running,
     ${sumWhere(`month >= date_trunc('month', now() at time zone 'UTC')`)} as "createdThisMonth",
     coalesce((select (credits - debits)::int from read_model.account_balances
       where organization_id = me.organization_id and account = 'usage'), 0) as "creditsUsed"
   from read_model.task_counts where organization_id = me.organization_id`,
);
