import { nameOf } from '../../kernel/charges.ts';
import { bigint, date, orNull, text, textOf, uuid } from '../../kernel/columns.ts';
import { readMany, readOne } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

export type ModelWorkKind = 'task' | 'session' | 'chat';
/** Embeddings of the API belong to no work, and have no agent. */
type ModelUsageKind = ModelWorkKind | 'embedding';

export const modelUsageModel = readModel({
  name: 'model-usage',
  feature: 'models',
  version: 3,
  tables: {
    /** Tasks, sessions and conversations: whose model calls they are. */
    model_work: table({
      key: ['work_id'],
      columns: {
        work_id: uuid,
        organization_id: uuid,
        kind: textOf<ModelWorkKind>(),
        agent_id: uuid,
        member_id: orNull(uuid),
      },
    }),
    /** Answered calls by the day (UTC) on which they were stored. */
    model_usage_daily: table({
      unique:
        'nulls not distinct (organization_id, day, kind, agent_id, member_id, connection_id, model)',
      columns: {
        organization_id: uuid,
        day: date,
        kind: textOf<ModelUsageKind>(),
        agent_id: orNull(uuid),
        member_id: orNull(uuid),
        connection_id: orNull(uuid),
        model: text,
        calls: bigint,
        estimated_calls: bigint,
        unpriced_calls: bigint,
        input_tokens: bigint,
        cached_tokens: bigint,
        output_tokens: bigint,
        latency_ms: bigint,
        cost_micros: bigint,
      },
      indexes: ['(organization_id, agent_id, day)'],
    }),
    /** The sums of all days, by agent. */
    agent_model_cost: table({
      key: ['organization_id', 'agent_id'],
      columns: {
        organization_id: uuid,
        agent_id: uuid,
        calls: bigint,
        estimated_calls: bigint,
        unpriced_calls: bigint,
        cost_micros: bigint,
      },
    }),
  },
});

/** Both days are included. */
const DAYS = { from: 'date', to: 'date' } as const;

const COUNTS = {
  calls: 'calls',
  estimatedCalls: 'estimated_calls',
  unpricedCalls: 'unpriced_calls',
  inputTokens: 'input_tokens',
  cachedTokens: 'cached_tokens',
  outputTokens: 'output_tokens',
  latencyMs: 'latency_ms',
  costMicros: 'cost_micros',
};
const sums = Object.entries(COUNTS)
  .map(([name, column]) => `sum(u.${column})::bigint as "${name}"`)
  .join(', ');
const counts = Object.keys(COUNTS)
  .map((name) => `coalesce(s."${name}", 0) as "${name}"`)
  .join(', ');

const sumsBy = (column: string) => `(select u.${column} as key, ${sums}
  from read_model.model_usage_daily u
  where u.organization_id = me.organization_id and u.day between p_from and p_to
  group by u.${column}) s`;
const LARGEST_FIRST = `order by s."costMicros" desc, s."inputTokens" desc, s.key`;

/** Every day of the range, including days without calls. */
export const readModelUsageByDay = readMany(
  'model_usage_by_day',
  DAYS,
  `select to_char(d.day, 'YYYY-MM-DD') as key, null::text as name, ${counts}
   from generate_series(p_from::timestamp, p_to::timestamp, interval '1 day') d (day)
   left join ${sumsBy('day')} on s.key = d.day::date
   order by d.day`,
);

/** Embeddings of the API have the key `none`. */
export const readModelUsageByAgent = readMany(
  'model_usage_by_agent',
  DAYS,
  `select coalesce(s.key::text, 'none') as key, a.name, ${counts} from ${sumsBy('agent_id')}
   left join read_model.agents a on a.agent_id = s.key and a.deleted_at is null ${LARGEST_FIRST}`,
);

/** Work without a member has the key `none`. */
export const readModelUsageByMember = readMany(
  'model_usage_by_member',
  DAYS,
  `select coalesce(s.key::text, 'none') as key, ${nameOf('s.key')} as name, ${counts}
   from ${sumsBy('member_id')} ${LARGEST_FIRST}`,
);

export const readModelUsageByModel = readMany(
  'model_usage_by_model',
  DAYS,
  `select s.key, s.key as name, ${counts} from ${sumsBy('model')} ${LARGEST_FIRST}`,
);

/** The tokens of chat and of embeddings of the API in the current month (UTC). */
export const readChatBudget = readOne(
  'chat_budget',
  {},
  `select o.chat_tokens as "monthlyTokens",
     (date_trunc('month', now() at time zone 'utc') + interval '1 month') at time zone 'utc' as "resetsAt",
     coalesce((select sum(u.input_tokens + u.output_tokens) from read_model.model_usage_daily u
       where u.organization_id = o.organization_id and u.kind in ('chat', 'embedding')
         and u.day >= date_trunc('month', now() at time zone 'utc')::date), 0)::bigint as "usedTokens"
   from read_model.organizations o where o.organization_id = me.organization_id`,
);
