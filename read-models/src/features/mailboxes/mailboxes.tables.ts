import { readModel, readOne, readPage } from '../../kernel/read-model.ts';

/** No credential is here. */
export const mailboxesModel = readModel({
  name: 'mailboxes',
  feature: 'mailboxes',
  version: 1,
  tables: {
    mailboxes: `
      mailbox_id uuid primary key,
      organization_id uuid not null,
      agent_id uuid not null,
      provider text not null,
      address text not null,
      can_reply boolean not null,
      poll_interval int not null,
      auto_reply boolean not null,
      reply_template text not null,
      mark_as_read boolean not null,
      pause_reason text,
      is_failing boolean not null,
      created_at timestamptz not null,
      disconnected_at timestamptz`,
    mailbox_mails: `
      mail_id uuid primary key,
      mailbox_id uuid not null,
      organization_id uuid not null,
      sender text,
      subject text not null,
      task_id uuid,
      reason text,
      reply text not null,
      received_at timestamptz not null`,
  },
  indexes: [
    `create index on read_model.mailboxes (organization_id, created_at, mailbox_id)
      where disconnected_at is null`,
    `create index on read_model.mailboxes (organization_id, agent_id, created_at, mailbox_id)
      where disconnected_at is null`,
    `create index on read_model.mailbox_mails
      (organization_id, mailbox_id, received_at, mail_id)`,
  ],
});

export type MailboxesTable = {
  mailbox_id: string;
  organization_id: string;
  agent_id: string;
  provider: string;
  address: string;
  can_reply: boolean;
  poll_interval: number;
  auto_reply: boolean;
  reply_template: string;
  mark_as_read: boolean;
  pause_reason: string | null;
  is_failing: boolean;
  created_at: string;
  disconnected_at: string | null;
};

export type MailboxMailsTable = {
  mail_id: string;
  mailbox_id: string;
  organization_id: string;
  sender: string | null;
  subject: string;
  task_id: string | null;
  reason: string | null;
  reply: string;
  received_at: string;
};

const MAILBOX = `
  b.mailbox_id as id, b.agent_id as "agentId", b.provider as "providerType",
    b.address as "emailAddress",
    case when b.pause_reason is not null or not a.is_active then 'paused'
      when b.is_failing then 'failing'
      when l.leased_until > now() and l.began_at > coalesce(l.last_poll_at, '-infinity')
        then 'polling'
      else 'connected' end as status,
    coalesce(b.pause_reason, case when not a.is_active then 'agent-paused' end) as "pauseReason",
    json_build_object('pollInterval', b.poll_interval, 'autoReply', b.auto_reply,
      'replyTemplate', b.reply_template, 'markAsRead', b.mark_as_read) as "syncSettings",
    b.can_reply as "canReply", l.last_poll_at as "lastPollAt",
    case when l.is_active and a.is_active and l.leased_until is null then l.next_at end as "nextPollAt",
    l.error as "lastError", l.error_code as "lastErrorCode", b.created_at as "createdAt"`;

const MAILBOXES = {
  table: 'read_model.mailboxes',
  as: 'b',
  at: 'created_at',
  id: 'mailbox_id',
  where: `b.disconnected_at is null and (select a.deleted_at is null from read_model.agents a
    where a.agent_id = b.agent_id)`,
  select: MAILBOX,
  joins: `left join read_model.agents a on a.agent_id = b.agent_id
    left join operational.organization_mailboxes l on l.mailbox_id = b.mailbox_id`,
};

export const readMailboxes = readPage(
  'mailboxes',
  { ...MAILBOXES, pins: { agent_id: 'p_agent' } },
  { agent: 'uuid' },
);

export const readAllMailboxes = readPage('all_mailboxes', MAILBOXES);

export const readMailbox = readOne(
  'mailbox',
  { id: 'uuid' },
  `select ${MAILBOX} from ${MAILBOXES.table} b ${MAILBOXES.joins}
   where b.organization_id = me.organization_id and b.mailbox_id = p_id and ${MAILBOXES.where}`,
);

/** A task that waits for a credit is not there yet; one that did not succeed is not answered. */
export const readMailboxMails = readPage(
  'mailbox_mails',
  {
    table: 'read_model.mailbox_mails',
    as: 'r',
    at: 'received_at',
    id: 'mail_id',
    pins: { mailbox_id: 'p_mailbox' },
    select: `r.mail_id as id, r.sender as "from", r.subject, t.task_id as "taskId", r.reason,
     case when t.status in ('failed', 'cancelled') then 'none' else r.reply end as reply,
     r.received_at as "createdAt"`,
    joins: `left join read_model.tasks t on t.task_id = r.task_id`,
  },
  { mailbox: 'uuid' },
);
