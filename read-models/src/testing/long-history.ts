import { hash } from 'node:crypto';
import type pg from 'pg';
import { type ReadModelTables, tables } from '../read-models.ts';
import { plainRow } from './plain-row.ts';
import { AGENT, AT, BEGIN, type Fill, id, own, TEXT, taskFills } from './task-fills.ts';

/** The history of an organization, as rows that projections would have written. */
export type LongHistory = {
  readonly organizationId: string;
  /** The caller, an Admin, who is the actor of everything. */
  readonly userId: string;
  readonly tasks: number;
  /** The number of agents, articles, sessions and so on. */
  readonly others: number;
};

/** A name in another order than the times. */
const SORT_KEY = `md5(n::text)`;

const otherFills: readonly Fill[] = [
  {
    table: 'read_model.agents',
    rows: 'others',
    columns: {
      ...own,
      agent_id: id('agent'),
      name: `'Agent ' || n`,
      description: TEXT,
      persona: `'{"role": "support"}'`,
      is_active: 'n % 5 > 0',
      version: '1',
      created_at: AT,
      updated_at: `${AT} + interval '1 second'`,
      sort_key: SORT_KEY,
      deleted_at: `case when n % 10 = 4 then ${AT} end`,
    },
  },
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
      updated_at: `${AT} + interval '1 second'`,
      sort_key: SORT_KEY,
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
      estimated_duration: '5',
      version: '1',
      created_at: AT,
      updated_at: `${AT} + interval '1 second'`,
      sort_key: SORT_KEY,
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
      version: '1',
      created_at: AT,
      updated_at: `${AT} + interval '1 second'`,
      sort_key: SORT_KEY,
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
      object_kind: `'task'`,
      object_id: id('task'),
      // Notifications older than three months are not shown.
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
      mark_as_read: 'true',
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

/** Writes an organization with a history of that length. */
export async function fillHistory(client: pg.Client | pg.Pool, history: LongHistory) {
  const { organizationId, userId } = history;
  for (const { table, rows, columns: given, from = '' } of [...taskFills, ...otherFills]) {
    const columns = Object.assign(plainColumns(table), given);
    await client.query(
      `with caller as (select $2::uuid)
       insert into ${table} (${Object.keys(columns).join(', ')})
       select ${Object.values(columns).join(', ')}
       from generate_series(1, ${history[rows]}) n ${from}`,
      [organizationId, userId],
    );
  }
  for (const [table, { counts }] of Object.entries(tables)) {
    if (!counts) continue;
    await client.query(
      `insert into read_model.${table} select * from (${counts}) c where organization_id = $1`,
      [organizationId],
    );
  }
  await client.query(
    `insert into read_model.audit_heads select $1, 5 * $2::bigint,
       ${BEGIN} + $2::bigint * interval '1 minute', 0`,
    [organizationId, history.tasks],
  );
}

/** Expressions of the columns that a fill does not name. */
function plainColumns(table: string): Record<string, string> {
  const [schema, name] = table.split('.');
  const row = schema === 'read_model' ? plainRow(name as keyof ReadModelTables) : {};
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, `'${value}'`]));
}

/** The id of the first of a kind. */
export function firstOf(kind: string, { organizationId }: Pick<LongHistory, 'organizationId'>) {
  const digest = hash('md5', `${kind}${organizationId}1`, 'hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
