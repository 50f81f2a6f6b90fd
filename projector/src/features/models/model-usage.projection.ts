import {
  ConversationStarted,
  ReplyApprovalRequested,
  ReplyFailed,
  ReplyGiven,
  ReplyStopped,
} from '@tallyhand/contracts/features/chat/chat.events';
import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import { TextsEmbedded } from '@tallyhand/contracts/features/openai/openai.events';
import {
  SessionRequested,
  StepTaken,
} from '@tallyhand/contracts/features/sessions/sessions.events';
import {
  TaskApprovalRequested,
  TaskFailed,
  TaskRequested,
  TaskStepCompleted,
  TaskSucceeded,
} from '@tallyhand/contracts/features/tasks/tasks.events';
import type { EventsOf } from '@tallyhand/contracts/kernel/messages';
import { modelUsageModel } from '@tallyhand/read-models/features/models/model-usage.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { sql } from 'kysely';
import { batchProjection, type Tx } from '../../kernel/projection.ts';
import { addRows, rowsOf } from '../../kernel/rows.ts';

const kinds = {
  TaskRequested,
  TaskStepCompleted,
  TaskApprovalRequested,
  TaskSucceeded,
  TaskFailed,
  SessionRequested,
  StepTaken,
  ConversationStarted,
  ReplyGiven,
  ReplyStopped,
  ReplyFailed,
  ReplyApprovalRequested,
  TextsEmbedded,
};
type Event = EventsOf<typeof kinds>;
type Work = Row<'model_work'>;
type Daily = Row<'model_usage_daily'>;
/** Whose calls they are: those of a piece of work, or of embeddings. */
type Group = Pick<Daily, 'organization_id' | 'kind' | 'agent_id' | 'member_id'>;
type Used = {
  readonly of: { readonly workId: string } | Group;
  readonly day: string;
  readonly usage: readonly ModelUsage[];
};

/** Model calls by day, agent, member and model. */
export const modelUsageProjection = batchProjection({
  model: modelUsageModel,
  kinds,
  async apply(tx, happened) {
    const begun = happened.flatMap(({ event }) => workOf(event) ?? []);
    await addRows(tx, 'model_work', begun);
    const used = happened.flatMap(({ event, stored }) => {
      const usage = usageOf(event);
      const day = stored.envelope.recordedAt.slice(0, 10);
      return usage ? [{ ...usage, day }] : [];
    });
    if (used.length === 0) return new Set();
    const works = await worksOf(tx, used);
    await addUsage(tx, dailyOf(used, works));
    return new Set(happened.map(({ event }) => event.data.organizationId));
  },
});

function workOf(event: Event): Work | null {
  switch (event.type) {
    case 'TaskRequested': {
      const { taskId, agentId, organizationId, requestedBy } = event.data;
      return row('task', taskId, organizationId, agentId, requestedBy);
    }
    case 'SessionRequested': {
      const { sessionId, agentId, organizationId, requestedBy } = event.data;
      return row('session', sessionId, organizationId, agentId, requestedBy);
    }
    case 'ConversationStarted': {
      const { conversationId, agentId, organizationId, startedBy } = event.data;
      return row('chat', conversationId, organizationId, agentId, startedBy);
    }
    default:
      return null;
  }
}

const row = (
  kind: Work['kind'],
  work_id: string,
  organization_id: string,
  agent_id: string,
  member_id: string | null,
) => ({ kind, work_id, organization_id, agent_id, member_id }) satisfies Work;

function usageOf(event: Event): Omit<Used, 'day'> | null {
  switch (event.type) {
    case 'TaskStepCompleted':
    case 'TaskApprovalRequested':
    case 'TaskSucceeded':
    case 'TaskFailed':
      return ofWork(event.data.taskId, event.data.usage);
    case 'StepTaken':
      return ofWork(event.data.sessionId, event.data.usage);
    case 'ReplyGiven':
    case 'ReplyStopped':
    case 'ReplyFailed':
    case 'ReplyApprovalRequested':
      return ofWork(event.data.conversationId, event.data.usage);
    case 'TextsEmbedded': {
      const { organizationId, requestedBy, usage } = event.data;
      const by = { organization_id: organizationId, agent_id: null, member_id: requestedBy };
      return { of: { ...by, kind: 'embedding' }, usage };
    }
    case 'TaskRequested':
    case 'SessionRequested':
    case 'ConversationStarted':
      return null;
  }
}

const ofWork = (workId: string, usage: readonly ModelUsage[] | undefined) =>
  usage ? { of: { workId }, usage } : null;

async function worksOf(tx: Tx, used: readonly Used[]): Promise<Map<string, Work>> {
  const ids = [...new Set(used.flatMap(({ of }) => ('workId' in of ? [of.workId] : [])))];
  if (ids.length === 0) return new Map();
  const works = await tx
    .selectFrom('model_work')
    .selectAll()
    .where('work_id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  return new Map(works.map((work) => [work.work_id, work]));
}

function dailyOf(used: readonly Used[], works: ReadonlyMap<string, Work>): Daily[] {
  const days = new Map<string, Daily>();
  for (const { of, day, usage } of used) {
    const whose = 'workId' in of ? works.get(of.workId) : of;
    if (!whose) continue;
    const { organization_id, kind, agent_id, member_id } = whose;
    for (const one of usage) {
      const { connectionId: connection_id, model } = one;
      const group = { organization_id, day, kind, agent_id, member_id, connection_id, model };
      const key = Object.values(group).join();
      const sum = days.get(key) ?? { ...group, ...NOTHING };
      days.set(key, {
        ...group,
        calls: sum.calls + one.calls,
        estimated_calls: sum.estimated_calls + (one.isEstimated ? one.calls : 0),
        unpriced_calls: sum.unpriced_calls + (one.costMicros === null ? one.calls : 0),
        input_tokens: sum.input_tokens + one.inputTokens,
        cached_tokens: sum.cached_tokens + one.cachedTokens,
        output_tokens: sum.output_tokens + one.outputTokens,
        latency_ms: sum.latency_ms + one.latencyMs,
        cost_micros: sum.cost_micros + (one.costMicros ?? 0),
      });
    }
  }
  return [...days.values()];
}

const NOTHING = {
  calls: 0,
  estimated_calls: 0,
  unpriced_calls: 0,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  latency_ms: 0,
  cost_micros: 0,
};

async function addUsage(tx: Tx, days: readonly Daily[]): Promise<void> {
  const counts = Object.keys(NOTHING).map(
    (column) => sql`${sql.ref(column)} = u.${sql.ref(column)} + excluded.${sql.ref(column)}`,
  );
  await sql`
    with used as (select r.* from ${rowsOf('model_usage_daily', days)}),
    totals as (
      insert into read_model.agent_model_cost as t
        (organization_id, agent_id, calls, estimated_calls, unpriced_calls, cost_micros)
      select organization_id, agent_id, sum(calls), sum(estimated_calls), sum(unpriced_calls),
        sum(cost_micros)
      from used where agent_id is not null group by organization_id, agent_id
      on conflict (organization_id, agent_id) do update set
        calls = t.calls + excluded.calls,
        estimated_calls = t.estimated_calls + excluded.estimated_calls,
        unpriced_calls = t.unpriced_calls + excluded.unpriced_calls,
        cost_micros = t.cost_micros + excluded.cost_micros)
    insert into read_model.model_usage_daily as u select * from used
    on conflict (organization_id, day, kind, agent_id, member_id, connection_id, model)
    do update set ${sql.join(counts)}`.execute(tx);
}
