import type { Attachment } from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import {
  Comparison,
  ComparisonSummary,
} from '@tallyhand/contracts/features/tasks/comparisons.endpoints';
import {
  TASK_STATS_DAYS,
  TASK_STATUSES,
  TASK_TYPES,
  Task,
  TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { TaskVariant } from '@tallyhand/contracts/features/tasks/tasks.events';
import type { SentenceParams } from '@tallyhand/contracts/kernel/sentence';
import { type ApprovalRow, approvalsOf } from '../../kernel/approvals.ts';
import { CHARGE, chargedFor, costOf, person } from '../../kernel/charges.ts';
import {
  bigint,
  date,
  int,
  json,
  orNull,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../kernel/columns.ts';
import { isRated, ratingCounts, ratingList } from '../../kernel/ratings.ts';
import {
  contains,
  inEachOrder,
  isShortened,
  orElse,
  readMany,
  readOne,
  readPage,
  selectOf,
  shortened,
} from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';
import { WAITING_CALLS } from './approvals.ts';

/** The first task of a comparison; one that retries it does not count. */
const BEGINS_COMPARISON = 'comparison_place = 1 and retry_of is null';

const IS_WAITING = 'approval_id is not null';

export const tasksModel = readModel({
  name: 'tasks',
  feature: 'tasks',
  version: 8,
  tables: {
    tasks: table({
      key: ['task_id'],
      columns: {
        task_id: uuid,
        organization_id: uuid,
        agent_id: uuid,
        type: text,
        status: text,
        input: text,
        context: orNull(text),
        metadata: orNull(json<Readonly<Record<string, string>>>()),
        output: orNull(text),
        error_message: orNull(text),
        error_code: orNull(text),
        error_params: withDefault(json<SentenceParams>(), "'{}'"),
        reasoning: orNull(text),
        sources: json<readonly unknown[]>(),
        model: orNull(text),
        execution_time_ms: orNull(int),
        requested_by: orNull(uuid),
        retry_of: orNull(uuid),
        playbook: orNull(json<unknown>()),
        steps: withDefault(json<readonly unknown[]>(), "'[]'"),
        tool_calls: withDefault(json<readonly unknown[]>(), "'[]'"),
        approvals: withDefault(json<readonly ApprovalRow[]>(), "'[]'"),
        /** The call that waits for a decision, and since when. */
        approval_id: orNull(uuid),
        approval_at: orNull(timestamp),
        usage: withDefault(json<readonly ModelUsage[]>(), "'[]'"),
        attachments: withDefault(json<readonly Attachment[]>(), "'[]'"),
        /** What answers it, in a comparison. */
        comparison: orNull(json<TaskVariant>()),
        comparison_id: orNull(uuid),
        /** Its place in the comparison, from 1. */
        comparison_place: orNull(int),
        created_at: timestamp,
      },
      indexes: [
        '(organization_id, comparison_id) where comparison_id is not null',
        `(organization_id, agent_id, created_at, comparison_id) where ${BEGINS_COMPARISON}`,
        `(organization_id, approval_at, approval_id) where ${IS_WAITING}`,
        '(organization_id, status, type, created_at, task_id)',
        '(organization_id, agent_id, status, type, created_at, task_id)',
      ],
    }),
    /** By the day (UTC) of the request. */
    task_counts: table({
      key: ['organization_id', 'day', 'status'],
      columns: {
        organization_id: uuid,
        day: date,
        status: text,
        count: bigint,
      },
      counts: `select organization_id, (created_at at time zone 'UTC')::date, status, count(*)
      from read_model.tasks group by 1, 2, 3`,
    }),
    agent_task_counts: table({
      key: ['organization_id', 'agent_id', 'status'],
      columns: {
        organization_id: uuid,
        agent_id: uuid,
        status: text,
        count: bigint,
      },
      counts: `select organization_id, agent_id, status, count(*) from read_model.tasks
      group by 1, 2, 3`,
    }),
  },
});

const { tasks } = tasksModel.tables;
const SHOWN = {
  id: 't.task_id',
  creditCost: costOf('task', 't.task_id', "t.status = 'success'"),
  requestedBy: person('t.requested_by'),
  rating: ratingCounts('t.task_id'),
};
const WHOLE = selectOf(Task.omit({ truncated: true }), tasks, 't', SHOWN);

const FILTER = {
  q: 'text',
  status: 'text',
  type: 'text',
  agent: 'uuid',
  rating: 'text',
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
    q: contains('p_q', ['t.input', 't.output']),
    rating: isRated('t.task_id', 'p_rating'),
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
      select: selectOf(Task, tasks, 't', {
        ...SHOWN,
        input: shortened('t.input'),
        output: shortened('t.output'),
        truncated: `(${isShortened('t.input')}) or (${isShortened('t.output')})`,
      }),
    },
    FILTER,
    order,
  ),
);

/** Untruncated, oldest first. */
export const readWholeTasks = readPage(
  'whole_tasks',
  {
    ...FOUND,
    select: `${WHOLE}, a.name as "agentName", ${ratingList('t.task_id')} as ratings`,
    joins: `left join read_model.agents a on a.agent_id = t.agent_id`,
  },
  FILTER,
  'oldest',
);

/** The same of the tasks with these ids, which are separated by commas. */
export const readChosenTasks = readMany(
  'chosen_tasks',
  { ids: 'text' },
  `select ${WHOLE}, a.name as "agentName"
   from unnest(string_to_array(p_ids, ',')::uuid[]) w (id)
   join read_model.tasks t on t.task_id = w.id
   left join read_model.agents a on a.agent_id = t.agent_id
   order by t.created_at, t.task_id`,
);

/** Selects complete tasks from `t`. */
const detailsFrom = (source: string) => `select ${selectOf(
  TaskDetail.omit({ truncated: true }),
  tasks,
  't',
  {
    ...SHOWN,
    agentName: 'a.name',
    playbook: `case when t.playbook is null then null else json_build_object('id',
      t.playbook->'playbookId', 'title', t.playbook->'title', 'version', t.playbook->'version')
      end`,
    approvals: approvalsOf('t.approvals'),
    charge: CHARGE,
    ratings: ratingList('t.task_id'),
  },
)}
   from ${source} t ${chargedFor('task', 't.task_id')}
   left join read_model.agents a on a.agent_id = t.agent_id and a.deleted_at is null`;

export const readTask = readOne(
  'task',
  { id: 'uuid' },
  `${detailsFrom('read_model.tasks')}
   where t.organization_id = me.organization_id and t.task_id = p_id`,
);

/** The tasks of a comparison; one that was retried is replaced by the new one. */
const compared = (comparisonId: string) => `(select distinct on (n.comparison_place) n.*
   from read_model.tasks n
   where n.organization_id = me.organization_id and n.comparison_id = ${comparisonId}
   order by n.comparison_place, n.created_at desc, n.task_id desc)`;

export const readComparison = readOne(
  'comparison',
  { id: 'uuid' },
  `select ${selectOf(Comparison, tasks, 'c', {
    id: 'c.comparison_id',
    requestedBy: person('c.requested_by'),
    tasks: `(select json_agg(to_json(d) order by (d.comparison->>'ordinal')::int)
      from (${detailsFrom(compared('p_id'))}) d)`,
  })}
   from read_model.tasks c
   where c.organization_id = me.organization_id and c.comparison_id = p_id
     and ${BEGINS_COMPARISON}`,
);

export const readComparisons = readPage(
  'comparisons',
  {
    table: 'read_model.tasks',
    as: 't',
    at: 'created_at',
    id: 'comparison_id',
    pins: { agent_id: 'p_agent' },
    where: BEGINS_COMPARISON,
    select: selectOf(ComparisonSummary, tasks, 't', {
      id: 't.comparison_id',
      input: shortened('t.input'),
      requestedBy: person('t.requested_by'),
      variants: `(select json_agg(json_build_object('taskId', v.task_id, 'status', v.status,
          'agentVersion', v.comparison->'agentVersion', 'model', v.comparison->'model')
          order by v.comparison_place)
        from ${compared('t.comparison_id')} v)`,
    }),
  },
  { agent: 'uuid' },
);

const sumWhere = (condition: string) => `coalesce(sum(count) filter (where ${condition}), 0)::int`;

/** Each day with its tasks and credits, as a JSON array, oldest first. */
const LATEST_DAYS = `select json_agg(json_build_object('day', to_char(d.day, 'YYYY-MM-DD'),
       'tasks', coalesce(c.tasks, 0), 'failed', coalesce(c.failed, 0),
       'credits', coalesce(u.credits, 0)) order by d.day)
     from generate_series((now() at time zone 'UTC')::date - ${TASK_STATS_DAYS - 1},
       (now() at time zone 'UTC')::date, interval '1 day') d (day)
     left join lateral (select sum(count)::int as tasks,
         sum(count) filter (where status = 'failed')::int as failed
       from read_model.task_counts
       where organization_id = me.organization_id and day = d.day::date) c on true
     left join lateral (select sum(credits)::int as credits from read_model.usage_daily
       where organization_id = me.organization_id and day = d.day::date) u on true`;

export const readTaskStats = readOne(
  'task_stats',
  {},
  `select ${sumWhere('true')} as total, ${sumWhere(`status = 'success'`)} as success,
     ${sumWhere(`status = 'failed'`)} as failed,
     ${sumWhere(`status in ('queued', 'running')`)} as running,
     ${sumWhere(`status = 'waiting'`)} as waiting,
     ${WAITING_CALLS} as "waitingCalls",
     ${sumWhere(`day >= date_trunc('month', now() at time zone 'UTC')`)} as "createdThisMonth",
     coalesce((select (credits - debits)::int from read_model.account_balances
       where organization_id = me.organization_id and account = 'usage'), 0) as "creditsUsed",
     (${LATEST_DAYS}) as "latestDays"
   from read_model.task_counts where organization_id = me.organization_id`,
);
