import { Mailbox, MailboxMail } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { boolean, int, orNull, text, timestamp, uuid } from '../../kernel/columns.ts';
import { readOne, readPage, selectOf } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

/** Without credentials. */
export const mailboxesModel = readModel({
  name: 'mailboxes',
  feature: 'mailboxes',
  version: 1,
  tables: {
    mailboxes: table({
      key: ['mailbox_id'],
      columns: {
        mailbox_id: uuid,
        organization_id: uuid,
        agent_id: uuid,
        provider: text,
        address: text,
        can_reply: boolean,
        poll_interval: int,
        auto_reply: boolean,
        reply_template: text,
        mark_as_read: boolean,
        pause_reason: orNull(text),
        is_failing: boolean,
        created_at: timestamp,
        disconnected_at: orNull(timestamp),
      },
      indexes: [
        '(organization_id, created_at, mailbox_id) where disconnected_at is null',
        '(organization_id, agent_id, created_at, mailbox_id) where disconnected_at is null',
      ],
    }),
    mailbox_mails: table({
      key: ['mail_id'],
      columns: {
        mail_id: uuid,
        mailbox_id: uuid,
        organization_id: uuid,
        sender: orNull(text),
        subject: text,
        task_id: orNull(uuid),
        reason: orNull(text),
        reply: text,
        received_at: timestamp,
      },
      indexes: ['(organization_id, mailbox_id, received_at, mail_id)'],
    }),
  },
});

const MAILBOX = selectOf(Mailbox, mailboxesModel.tables.mailboxes, 'b', {
  id: 'b.mailbox_id',
  providerType: 'b.provider',
  emailAddress: 'b.address',
  status: `case when b.pause_reason is not null or not a.is_active then 'paused'
    when b.is_failing then 'failing'
    when l.leased_until > now() and l.began_at > coalesce(l.last_poll_at, '-infinity')
      then 'polling'
    else 'connected' end`,
  pauseReason: `coalesce(b.pause_reason, case when not a.is_active then 'agent-paused' end)`,
  syncSettings: `json_build_object('pollInterval', b.poll_interval, 'autoReply', b.auto_reply,
    'replyTemplate', b.reply_template, 'markAsRead', b.mark_as_read)`,
  lastPollAt: 'l.last_poll_at',
  nextPollAt: `case when l.is_active and a.is_active and l.leased_until is null
    then l.next_at end`,
  lastError: 'l.error',
  lastErrorCode: 'l.error_code',
});

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

/** A task that waits for credits does not exist yet; an unsuccessful task gets no reply. */
export const readMailboxMails = readPage(
  'mailbox_mails',
  {
    table: 'read_model.mailbox_mails',
    as: 'r',
    at: 'received_at',
    id: 'mail_id',
    pins: { mailbox_id: 'p_mailbox' },
    select: selectOf(MailboxMail, mailboxesModel.tables.mailbox_mails, 'r', {
      id: 'r.mail_id',
      from: 'r.sender',
      taskId: 't.task_id',
      reply: `case when t.status in ('failed', 'cancelled') then 'none' else r.reply end`,
      createdAt: 'r.received_at',
    }),
    joins: `left join read_model.tasks t on t.task_id = r.task_id`,
  },
  { mailbox: 'uuid' },
);
