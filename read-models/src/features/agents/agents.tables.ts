import { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { SESSION_STATUSES } from '@tallyhand/contracts/features/sessions/sessions.fields';
import { TASK_STATUSES, TASK_TYPES } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { bigint, boolean, int, json, orNull, text, uuid, uuids } from '../../kernel/columns.ts';
import { readMany, readOne } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';
import {
  NAME_COLUMNS,
  versionedColumns,
  versionedIndexes,
  versionedObject,
} from '../../kernel/versioned-object.ts';

export const agentsModel = readModel({
  name: 'agents',
  feature: 'agents',
  version: 1,
  tables: {
    agents: table({
      key: ['agent_id'],
      columns: {
        agent_id: uuid,
        organization_id: uuid,
        name: text,
        description: text,
        persona: json<unknown>(),
        is_active: boolean,
        articles: uuids,
        playbooks: uuids,
        tools: uuids,
        assignments_version: int,
        model: orNull(json<unknown>()),
        form_policy: orNull(text),
        ...versionedColumns,
      },
      indexes: versionedIndexes('agent'),
    }),
    /** Agents that are not deleted. */
    agent_counts: table({
      key: ['organization_id', 'is_active'],
      columns: {
        organization_id: uuid,
        is_active: boolean,
        count: bigint,
      },
      counts: `select organization_id, is_active, count(*) from read_model.agents
      where deleted_at is null group by 1, 2`,
    }),
  },
});

export const agents = versionedObject({
  kind: 'agent',
  view: Agent,
  table: agentsModel.tables.agents,
  columnOf: { personaConfig: 'persona' },
  computed: {},
  inList: {},
  searched: [
    'o.name',
    'o.description',
    `o.persona->>'role'`,
    `o.persona->>'personality'`,
    `o.persona->>'expertise'`,
  ],
  filters: {
    is_active: { type: 'boolean', where: 'o.is_active = p_is_active' },
    article_id: { type: 'uuid', where: 'p_article_id = any(o.articles)' },
    playbook_id: { type: 'uuid', where: 'p_playbook_id = any(o.playbooks)' },
    tool_id: { type: 'uuid', where: 'p_tool_id = any(o.tools)' },
  },
});

/** Only what exists now: a deleted article returns with its restoration. */
export const readAssignments = readOne(
  'assignments',
  { id: 'uuid' },
  `select array(select article_id from read_model.articles
      where article_id = any(a.articles) and deleted_at is null) as articles,
     array(select playbook_id from read_model.playbooks
      where playbook_id = any(a.playbooks) and deleted_at is null) as playbooks,
     array(select tool_id from read_model.tools
      where tool_id = any(a.tools) and deleted_at is null) as tools,
     a.assignments_version as version
   from read_model.agents a
   where a.organization_id = me.organization_id and a.deleted_at is null and a.agent_id = p_id`,
);

/** The existing objects among those that an agent is assigned, by name. */
const assigned = (kind: 'article' | 'playbook' | 'tool') =>
  `(select coalesce(json_agg(json_build_object('id', r.${kind}_id, 'name', r.${NAME_COLUMNS[kind]})
      order by r.sort_key, r.${kind}_id), '[]')
    from read_model.${kind}s r
    where r.${kind}_id = any(a.${kind}s) and r.deleted_at is null)`;

const values = (all: readonly string[]) => all.map((value) => `('${value}')`).join(', ');

/** One index lookup for each combination of the columns before the time. */
const lastTask = `(select max(last.at) from (values ${values(TASK_STATUSES)}) s (status)
  cross join (values ${values(TASK_TYPES)}) y (type)
  cross join lateral (select max(t.created_at) as at from read_model.tasks t
    where t.organization_id = me.organization_id and t.agent_id = a.agent_id
      and t.status = s.status and t.type = y.type) last)`;
const lastSession = `(select max(last.at) from (values ${values(SESSION_STATUSES)}) s (status)
  cross join lateral (select max(t.created_at) as at from read_model.sessions t
    where t.organization_id = me.organization_id and t.agent_id = a.agent_id
      and t.status = s.status) last)`;

const countOf = (...statuses: string[]) =>
  `coalesce(sum(c.count) filter (where c.status in (${statuses.map((one) => `'${one}'`).join(', ')})), 0)`;

/** The cost of model calls; zeros where there were none. */
const costFrom = (table: string, condition = '') =>
  `(select json_build_object('calls', coalesce(sum(u.calls), 0),
      'estimatedCalls', coalesce(sum(u.estimated_calls), 0),
      'unpricedCalls', coalesce(sum(u.unpriced_calls), 0),
      'costMicros', coalesce(sum(u.cost_micros), 0))
    from read_model.${table} u
    where u.organization_id = me.organization_id and u.agent_id = a.agent_id ${condition})`;
const LAST_30_DAYS = `and u.day > (now() at time zone 'UTC')::date - 30`;

/**
 * `ids` are separated by commas. Row-level security leaves out those of other organizations: with a
 * condition on the organization, all its agents might be read.
 */
export const readAgentSummaries = readMany(
  'agent_summaries',
  { ids: 'text' },
  `select a.agent_id as "agentId", ${assigned('article')} as articles,
     ${assigned('playbook')} as playbooks, ${assigned('tool')} as tools,
     (select json_build_object('success', ${countOf('success')}, 'failed', ${countOf('failed')},
        'cancelled', ${countOf('cancelled')}, 'open', ${countOf('queued', 'running', 'waiting')})
      from read_model.agent_task_counts c
      where c.organization_id = me.organization_id and c.agent_id = a.agent_id) as tasks,
     greatest(${lastTask}, ${lastSession}) as "lastRunAt",
     json_build_object(
       'last30Days', (select coalesce(sum(u.credits), 0) from read_model.usage_daily u
         where u.organization_id = me.organization_id and u.agent_id = a.agent_id
           ${LAST_30_DAYS}),
       'total', coalesce((select u.credits from read_model.agent_usage u
         where u.organization_id = me.organization_id and u.agent_id = a.agent_id), 0)) as credits,
     json_build_object('last30Days', ${costFrom('model_usage_daily', LAST_30_DAYS)},
       'total', ${costFrom('agent_model_cost')}) as "modelCost"
   from unnest(string_to_array(p_ids, ',')::uuid[]) with ordinality w (id, place)
   join read_model.agents a on a.agent_id = w.id
   where a.deleted_at is null order by w.place`,
);

/** An agent as OpenAI's API describes a model. */
const AS_MODEL = `a.agent_id::text as id, 'model' as object,
  floor(extract(epoch from a.created_at))::bigint as created,
  'tallyhand' as owned_by, a.name, a.description`;
const USABLE = `from read_model.agents a
  where a.organization_id = me.organization_id and a.is_active and a.deleted_at is null`;

/** The model that the worker has found to be the organization's. */
const EMBEDDING_MODEL = `select e.model as id, 'model' as object,
    floor(extract(epoch from o.registered_at))::bigint as created,
    'tallyhand-embeddings' as owned_by, e.model as name,
    'Turns texts into vectors with /v1/embeddings.' as description
  from operational.organization_embedding e
  join read_model.organizations o on o.organization_id = e.organization_id
  where e.organization_id = me.organization_id and e.model is not null`;

/** Agents by name, and the embedding model last. */
export const readOpenAiModels = readOne(
  'openai_models',
  {},
  `select 'list' as object, (select coalesce(json_agg(m), '[]') from (
     (select ${AS_MODEL} ${USABLE} order by a.sort_key, a.agent_id limit 1000)
     union all ${EMBEDDING_MODEL}) m) as data`,
);

/** The active agent with this id, or the only one with this name, or the embedding model. */
export const readOpenAiModel = readOne(
  'openai_model',
  { id: 'text' },
  `select ${AS_MODEL} ${USABLE} and (a.agent_id::text = p_id or a.name = p_id and not exists (
     select from read_model.agents o
     where o.organization_id = me.organization_id and o.is_active and o.deleted_at is null
       and o.name = p_id and o.agent_id <> a.agent_id))
   union all ${EMBEDDING_MODEL} and e.model = p_id and not exists (
     select from read_model.agents a
     where a.organization_id = me.organization_id and a.is_active and a.deleted_at is null
       and (a.name = p_id or a.agent_id::text = p_id))`,
);
