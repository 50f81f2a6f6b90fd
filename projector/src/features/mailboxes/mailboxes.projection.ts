import { mailboxEvents } from '@tallyhand/contracts/features/mailboxes/mailboxes.events';
import type { EventOf } from '@tallyhand/contracts/kernel/messages';
import { mailboxesModel } from '@tallyhand/read-models/features/mailboxes/mailboxes.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { sql } from 'kysely';
import { projection, type Tx } from '../../kernel/projection.ts';

export const mailboxesProjection = projection({
  model: mailboxesModel,
  kinds: mailboxEvents,
  on: {
    MailboxConnected: async (tx, data, { at, reveal }) =>
      tx
        .insertInto('mailboxes')
        .values({
          mailbox_id: data.mailboxId,
          organization_id: data.organizationId,
          agent_id: data.agentId,
          address: await reveal(data.mailboxId, data.address),
          ...settingsOf(data),
          pause_reason: null,
          is_failing: false,
          created_at: at,
          disconnected_at: null,
        })
        .execute(),
    MailboxChanged: (tx, data) =>
      change(tx, data.mailboxId, { ...settingsOf(data), is_failing: false }),
    MailReceived: async (tx, data, { at, reveal }) =>
      tx
        .insertInto('mailbox_mails')
        .values({
          mail_id: data.mailId,
          mailbox_id: data.mailboxId,
          organization_id: data.organizationId,
          sender: data.sender && (await reveal(data.mailboxId, data.sender)),
          subject: await reveal(data.mailboxId, data.subject),
          task_id: data.taskId,
          reason: data.reason,
          reply: sql`case when ${data.reason}::text is null and exists (
            select from read_model.mailboxes b
            where b.mailbox_id = ${data.mailboxId} and b.auto_reply) then 'waiting' else 'none' end`,
          received_at: at,
        })
        .execute(),
    ReplyIntended: (tx, { mailId }) => setReply(tx, mailId, 'sending'),
    ReplySent: (tx, { mailId }) => setReply(tx, mailId, 'sent'),
    ReplyDelayed: (tx, { mailId }) => setReply(tx, mailId, 'waiting'),
    ReplyRejected: (tx, { mailId }) => setReply(tx, mailId, 'failed'),
    ReplyUncertain: (tx, { mailId }) => setReply(tx, mailId, 'uncertain'),
    ReplyResendRequested: (tx, { mailId }) => setReply(tx, mailId, 'waiting'),
    MailboxFailed: (tx, { mailboxId }) => change(tx, mailboxId, { is_failing: true }),
    MailboxRecovered: (tx, { mailboxId }) => change(tx, mailboxId, { is_failing: false }),
    MailboxPaused: (tx, { mailboxId, reason }) => change(tx, mailboxId, { pause_reason: reason }),
    MailboxResumed: (tx, { mailboxId }) =>
      change(tx, mailboxId, { pause_reason: null, is_failing: false }),
    MailboxDisconnected: (tx, { mailboxId }, { at }) =>
      change(tx, mailboxId, { disconnected_at: at }),
  },
});

type Settings = EventOf<typeof mailboxEvents.MailboxChanged>['data'];

const settingsOf = (settings: Omit<Settings, 'mailboxId' | 'organizationId'>) => ({
  provider: settings.provider,
  can_reply: settings.canReply,
  poll_interval: settings.pollInterval,
  auto_reply: settings.autoReply,
  reply_template: settings.replyTemplate,
  mark_as_read: settings.markAsRead,
});

const change = (tx: Tx, mailboxId: string, columns: Partial<Row<'mailboxes'>>) =>
  tx.updateTable('mailboxes').set(columns).where('mailbox_id', '=', mailboxId).execute();

const setReply = (tx: Tx, mailId: string, reply: string) =>
  tx.updateTable('mailbox_mails').set({ reply }).where('mail_id', '=', mailId).execute();
