import { mailboxEvents } from '@tallyhand/contracts/features/mailboxes/mailboxes.events';
import { mailboxesModel } from '@tallyhand/read-models/features/mailboxes/mailboxes.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { sql } from 'kysely';
import { projection, type Tx } from '../../kernel/projection.ts';
import { addRows, namedColumns, newRow, updateRow } from '../../kernel/rows.ts';

export const mailboxesProjection = projection({
  model: mailboxesModel,
  kinds: mailboxEvents,
  on: {
    MailboxConnected: async (tx, data, { at, reveal }) => {
      const address = await reveal(data.mailboxId, data.address);
      const row = newRow('mailboxes', data, at, { address, is_failing: false });
      await addRows(tx, 'mailboxes', [row]);
    },
    MailboxChanged: (tx, data) =>
      change(tx, data.mailboxId, { ...namedColumns('mailboxes', data), is_failing: false }),
    MailReceived: async (tx, data, { at, reveal }) => {
      const row = newRow('mailbox_mails', data, at, {
        sender: data.sender && (await reveal(data.mailboxId, data.sender)),
        subject: await reveal(data.mailboxId, data.subject),
        reply: 'none',
        received_at: at,
      });
      await addRows(tx, 'mailbox_mails', [row]);
      if (data.reason !== null) return;
      await sql`update read_model.mailbox_mails set reply = 'waiting' where mail_id = ${data.mailId}
        and mailbox_id in (select mailbox_id from read_model.mailboxes where auto_reply)`.execute(
        tx,
      );
    },
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

const change = (tx: Tx, mailboxId: string, columns: Partial<Row<'mailboxes'>>) =>
  updateRow(tx, 'mailboxes', mailboxId, columns);

const setReply = (tx: Tx, mailId: string, reply: string) =>
  updateRow(tx, 'mailbox_mails', mailId, { reply });
