import { hash } from 'node:crypto';
import type pg from 'pg';

/** What an organization has been doing: rows as the projections would have written them. */
export type LongHistory = {
  readonly organizationId: string;
  /** The caller, an Admin, whom everything was done by. */
  readonly userId: string;
  readonly tasks: number;
  /** Agents, articles, sessions, notifications and everything else that is listed. */
  readonly others: number;
};

/** A UUID that is the same in each statement. */
const id = (kind: string, n = 'n') => `md5('${kind}' || $1::text || ${n})::uuid`;
const BEGIN = "'2026-01-01T00:00:00Z'::timestamptz";
const AT = `${BEGIN} + n * interval '1 minute'`;
const TEXT = `'Items can be returned within thirty days of delivery, case ' || n || '. '`;

/** The n-th of what tasks are about: one agent has most of them, as it is. */
const AGENT = id('agent', '(case when n % 3 = 0 then 1 + n % 50 else 1 end)');
const STATUS = `case when n % 1000 = 7 then 'failed' when n % 500 = 3 then 'cancelled'
  else 'success' end`;
const TASK_EVENTS = `(values (1, 'TaskRequested', 'task'), (2, 'CreditsReserved', 'ledger'),
  (3, 'TaskStarted', 'task'), (4, 'TaskSucceeded', 'task'), (5, 'CreditsCharged', 'ledger'))
  e (place, type, category)`;

type Fill = {
  readonly table: string;
  readonly rows: keyof Pick<LongHistory, 'tasks' | 'others'>;
  readonly columns: Readonly<Record<string, string>>;
  /** Beside `n`, the number of the row. */
  readonly from?: string;
};

const own = { organization_id: '$1::uuid' };

/** Columns as expressions in `n`; `$1`: the organization, `$2`: the caller. */
const fills: readonly Fill[] = [
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
      available_change: '0',
      posted_change: '0',
      available: '100',
      amount: '1',
      price: '1',
      reservation_id: id('task'),
      work_kind: `'task'`,
      work_id: id('task'),
      work_type: `'query'`,
      agent_id: AGENT,
      member_id: '$2::uuid',
      prev: `''`,
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
      leaf: `'\\x00'`,
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
      description: `''`,
      tags: `''`,
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
  ...([['agent', 'agents', 'name', `persona, is_active, articles, playbooks, tools`]] as const).map(
    ([kind, table, name]): Fill => ({
      table: `read_model.${table}`,
      rows: 'others',
      columns: {
        ...own,
        [`${kind}_id`]: id(kind),
        [name]: `'Agent ' || n`,
        description: TEXT,
        persona: `'{"role": "support"}'`,
        is_active: 'n % 5 > 0',
        version: '1',
        articles: `'{}'`,
        playbooks: `'{}'`,
        tools: `'{}'`,
        created_at: AT,
        deleted_at: `case when n % 10 = 4 then ${AT} end`,
      },
    }),
  ),
  {
    table: 'read_model.articles',
    rows: 'others',
    columns: {
      ...own,
      article_id: id('article'),
      title: `'Returns ' || n`,
      content: `repeat(${TEXT}, case when n % 10 = 0 then 400 else 20 end)`,
      category: `'General'`,
      tags: `'{returns}'`,
      is_public: 'true',
      version: '1',
      language: `'english'`,
      created_at: AT,
      deleted_at: `case when n % 10 = 4 then ${AT} end`,
    },
  },
  {
    table: 'read_model.playbooks',
    rows: 'others',
    columns: {
      ...own,
      playbook_id: id('playbook'),
      title: `'Refund ' || n`,
      description: TEXT,
      steps: `array[${TEXT}]`,
      category: `'General'`,
      tags: `'{}'`,
      estimated_duration: '5',
      version: '1',
      created_at: AT,
      deleted_at: `case when n % 10 = 4 then ${AT} end`,
    },
  },
  {
    table: 'read_model.tools',
    rows: 'others',
    columns: {
      ...own,
      tool_id: id('tool'),
      name: `'Shop ' || n`,
      description: TEXT,
      tool_type: `'api'`,
      config: `'{}'`,
      credential_names: `'{}'`,
      version: '1',
      created_at: AT,
      deleted_at: `case when n % 10 = 4 then ${AT} end`,
    },
  },
  ...(['agent', 'article', 'playbook', 'tool'] as const).flatMap((kind): Fill[] => [
    {
      table: 'read_model.search_entries',
      rows: 'others',
      columns: {
        ...own,
        entry_id: id(kind),
        kind: `'${kind}'`,
        title: `'${kind} ' || n`,
        description: TEXT,
        tags: `''`,
        created_at: AT,
      },
    },
    {
      table: 'read_model.object_history',
      rows: 'others',
      columns: {
        ...own,
        entry_id: id(`${kind}-created`),
        object_kind: `'${kind}'`,
        object_id: id(kind, '(1 + n % 2)'),
        revision: 'n',
        kind: `case when n % 10 = 1 then 'deleted' else 'changed' end`,
        actor_id: '$2::uuid',
        changes: `'[]'`,
        at: AT,
      },
    },
  ]),
  {
    table: 'read_model.sessions',
    rows: 'others',
    columns: {
      ...own,
      session_id: id('session'),
      agent_id: AGENT,
      status: `case when n % 1000 = 7 then 'failed' else 'completed' end`,
      goal: TEXT,
      current_step: '3',
      max_steps: '10',
      requested_by: '$2::uuid',
      created_at: AT,
    },
  },
  {
    table: 'read_model.session_steps',
    rows: 'others',
    from: ', generate_series(1, 3) step',
    columns: {
      ...own,
      step_id: id('step', `(n || '-' || step)`),
      session_id: id('session'),
      step_number: 'step',
      action: `'open'`,
      input: `''`,
      output: TEXT,
      success: 'true',
      execution_time_ms: '12',
      screenshots: `'[]'`,
      created_at: AT,
    },
  },
  {
    table: 'read_model.notifications',
    rows: 'others',
    columns: {
      ...own,
      notification_id: id('notification'),
      kind: `'task-failed'`,
      severity: `'info'`,
      params: `'{}'`,
      object_kind: `'task'`,
      object_id: id('task'),
      // What is older than three months is shown to nobody.
      created_at: `now() - interval '80 days' + n * interval '1 second'`,
      to_user: '$2::uuid',
      agent_id: AGENT,
    },
  },
  {
    table: 'read_model.payments',
    rows: 'others',
    columns: {
      ...own,
      payment_id: id('payment'),
      package_name: `'Starter'`,
      credits: '100',
      cents: '1000',
      currency: `'USD'`,
      provider: `'test'`,
      status: `'succeeded'`,
      refunded_cents: '0',
      requested_by: '$2::uuid',
      created_at: AT,
    },
  },
  {
    table: 'read_model.tickets',
    rows: 'others',
    columns: {
      ...own,
      ticket_id: id('ticket'),
      ticket_number: `'T-' || n`,
      person_id: '$2::uuid',
      name: `'Ada'`,
      email: `'ada@example.com'`,
      subject: `'Returns'`,
      message: TEXT,
      priority: `'normal'`,
      category: `'other'`,
      created_at: AT,
    },
  },
  {
    table: 'read_model.members',
    rows: 'others',
    columns: {
      ...own,
      user_id: id('member'),
      username: `'Member ' || n`,
      email: `'member-' || n || '@example.com'`,
      role: `'Editor'`,
      status: `case when n % 10 = 1 then 'erased' else 'active' end`,
      joined_at: AT,
    },
  },
  {
    table: 'read_model.invitations',
    rows: 'others',
    columns: {
      ...own,
      invitation_id: id('invitation'),
      kind: `'email'`,
      email: `'invited-' || n || '@example.com'`,
      role: `'Editor'`,
      status: `'pending'`,
      uses: '0',
      resent: '0',
      created_at: AT,
      expires_at: 'now()',
    },
  },
  {
    table: 'operational.outgoing_mail',
    rows: 'others',
    columns: {
      ...own,
      mail_id: id('mail'),
      kind: `'invitation'`,
      about_id: id('invitation'),
      sealed: `'\\x00'`,
      state: `'sent'`,
      made_at: AT,
    },
  },
  {
    table: 'operational.sign_ins',
    rows: 'others',
    columns: {
      ...own,
      sign_in_id: id('sign-in'),
      user_id: id('member'),
      expires_at: `now() + interval '1 day'`,
    },
  },
  {
    table: 'read_model.api_keys',
    rows: 'others',
    columns: {
      ...own,
      key_id: id('key'),
      name: `'Key ' || n`,
      role: `'Viewer'`,
      created_by: '$2::uuid',
      created_at: AT,
      is_revoked: 'false',
    },
  },
  {
    table: 'operational.webhooks',
    rows: 'others',
    columns: {
      ...own,
      webhook_id: id('webhook'),
      url: `'https://example.com/'`,
      events: `'{}'`,
      description: `''`,
      created_at: AT,
      secret: `'\\x00'`,
    },
  },
  {
    table: 'operational.webhook_deliveries',
    rows: 'others',
    columns: {
      ...own,
      delivery_id: id('delivery'),
      webhook_id: id('webhook', '1'),
      type: `'task.succeeded'`,
      state: `case when n % 1000 = 7 then 'failed' else 'delivered' end`,
      created_at: AT,
    },
  },
  {
    table: 'read_model.conversations',
    rows: 'others',
    columns: {
      ...own,
      conversation_id: id('conversation'),
      agent_id: AGENT,
      started_by: '$2::uuid',
      title: TEXT,
      message_count: '1',
      created_at: AT,
      updated_at: AT,
    },
  },
  {
    table: 'read_model.mailboxes',
    rows: 'others',
    columns: {
      ...own,
      mailbox_id: id('mailbox'),
      agent_id: AGENT,
      provider: `'imap'`,
      address: `'box-' || n || '@example.com'`,
      can_reply: 'true',
      poll_interval: '5',
      auto_reply: 'true',
      reply_template: `''`,
      mark_as_read: 'true',
      is_failing: 'false',
      created_at: AT,
    },
  },
  {
    table: 'read_model.mailbox_mails',
    rows: 'others',
    columns: {
      ...own,
      mail_id: id('received'),
      mailbox_id: id('mailbox', '1'),
      subject: TEXT,
      task_id: id('task'),
      reply: `'sent'`,
      received_at: AT,
    },
  },
];

/** An organization with a history of that length, written at once. */
export async function fillHistory(client: pg.Client | pg.Pool, history: LongHistory) {
  const { organizationId, userId } = history;
  for (const { table, rows, columns, from = '' } of fills) {
    await client.query(
      `with caller as (select $2::uuid)
       insert into ${table} (${Object.keys(columns).join(', ')})
       select ${Object.values(columns).join(', ')}
       from generate_series(1, ${history[rows]}) n ${from}`,
      [organizationId, userId],
    );
  }
  await client.query(
    `insert into read_model.audit_heads select $1, 5 * $2::bigint,
       ${BEGIN} + $2::bigint * interval '1 minute', 0`,
    [organizationId, history.tasks],
  );
}

/** The id of the first of a kind. */
export function firstOf(kind: string, { organizationId }: Pick<LongHistory, 'organizationId'>) {
  const digest = hash('md5', `${kind}${organizationId}1`, 'hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
