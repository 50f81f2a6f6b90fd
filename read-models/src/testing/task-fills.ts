/** A UUID that is the same in each statement. */
export const id = (kind: string, n = 'n') => `md5('${kind}' || $1::text || ${n})::uuid`;
export const BEGIN = "'2026-01-01T00:00:00Z'::timestamptz";
export const AT = `${BEGIN} + n * interval '1 minute'`;
export const TEXT = `'Items can be returned within thirty days of delivery, case ' || n || '. '`;

/** The agent of the n-th task: one agent has most of them. */
export const AGENT = id('agent', '(case when n % 3 = 0 then 1 + n % 50 else 1 end)');
const STATUS = `case when n % 1000 = 7 then 'failed' when n % 500 = 3 then 'cancelled'
  else 'success' end`;
const TASK_EVENTS = `(values (1, 'TaskRequested', 'task'), (2, 'CreditsReserved', 'ledger'),
  (3, 'TaskStarted', 'task'), (4, 'TaskSucceeded', 'task'), (5, 'CreditsCharged', 'ledger'))
  e (place, type, category)`;

export type Fill = {
  readonly table: string;
  readonly rows: 'tasks' | 'others';
  readonly columns: Readonly<Record<string, string>>;
  /** Beside `n`, the number of the row. */
  readonly from?: string;
};

export const own = { organization_id: '$1::uuid' };

/**
 * Rows that tasks leave behind. Columns are expressions in `n`; `$1` is the organization, `$2` the
 * caller.
 */
export const taskFills: readonly Fill[] = [
  {
    table: 'read_model.tasks',
    rows: 'tasks',
    columns: {
      ...own,
      task_id: id('task'),
      agent_id: AGENT,
      type: `case when n % 400 = 9 then 'playbook' else 'query' end`,
      status: STATUS,
      input: `'Can case ' || n || ' be returned?'`,
      output: `repeat(${TEXT}, case when n % 40 = 0 then 200 else 6 end)`,
      sources: `'[]'`,
      model: `'built-in'`,
      execution_time_ms: '12',
      requested_by: '$2::uuid',
      comparison: `case when n % 5 = 1 then '{"ordinal":1,"agentVersion":1,"model":null}'::jsonb end`,
      comparison_id: `case when n % 5 = 1 then ${id('comparison')} end`,
      comparison_place: 'case when n % 5 = 1 then 1 end',
      created_at: AT,
    },
  },
  {
    table: 'read_model.ledger_entries',
    rows: 'tasks',
    from: `, (values (1, 'reserved'), (2, 'charged')) e (place, kind)`,
    columns: {
      ...own,
      sequence: '2 * n - 2 + e.place',
      entry_id: id('entry', `(n || '-' || e.place)`),
      kind: 'e.kind',
      available: '100',
      amount: '1',
      price: '1',
      reservation_id: id('task'),
      work_kind: `'task'`,
      work_id: id('task'),
      work_type: `'query'`,
      agent_id: AGENT,
      member_id: '$2::uuid',
      hash: `md5(n::text)`,
      at: AT,
    },
  },
  {
    table: 'read_model.audit_entries',
    rows: 'tasks',
    from: `, ${TASK_EVENTS}`,
    columns: {
      ...own,
      sequence: '5 * n - 5 + e.place',
      event_id: id('event', `(n || '-' || e.place)`),
      type: 'e.type',
      schema_version: '1',
      category: 'e.category',
      stream: `e.category || '-' || n`,
      at: AT,
      latest: AT,
      actor_kind: `'member'`,
      actor_id: '$2::text',
      correlation_id: `md5(n::text)`,
      command_id: id('command'),
      object_kind: `case e.category when 'task' then 'task' else 'organization' end`,
      object_id: `case e.category when 'task' then ${id('task')} else $1::uuid end::text`,
      data: `jsonb_build_object('taskId', ${id('task')}, 'organizationId', $1::text, 'agentId',
        ${AGENT}, 'taskType', 'query', 'input', 'Can case ' || n || ' be returned?', 'price', 1)
        || case when e.type = 'TaskSucceeded' then jsonb_build_object('output',
          repeat(${TEXT}, case when n % 40 = 0 then 200 else 6 end)) else '{}' end`,
      revealed: `'{"sourceAddress": "127.0.0.1"}'`,
      search: `('''' || right($1::text, 4) || ':returned'' ''' || right($1::text, 4) || ':' || n
        || '''')::tsvector`,
    },
  },
  {
    table: 'read_model.search_entries',
    rows: 'tasks',
    columns: {
      ...own,
      entry_id: id('task'),
      kind: `'task'`,
      title: `'Can case ' || n || ' be returned?'`,
      agent_id: AGENT,
      created_at: AT,
    },
  },
  {
    table: 'read_model.usage_daily',
    rows: 'others',
    columns: {
      ...own,
      day: `date '2020-01-01' + (n / 4)::int`,
      agent_id: id('agent', '(1 + n % 4)'),
      work_type: `'query'`,
      credits: '1',
      count: '1',
    },
  },
];
