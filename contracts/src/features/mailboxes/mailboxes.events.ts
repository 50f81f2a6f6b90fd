import { z } from 'zod';
import { Ciphertext, Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

const mailbox = { mailboxId: Id, organizationId: Id };
const mail = { ...mailbox, mailId: Id };
const settings = {
  provider: z.enum(['gmail', 'pop3', 'imap']),
  /** Id of the credentials in the vault. */
  credentialsId: Id,
  canReply: z.boolean(),
  pollInterval: z.int(),
  autoReply: z.boolean(),
  replyTemplate: z.string(),
  markAsRead: z.boolean(),
};

/**
 * On `mailbox-{id}`. Addresses and subjects are ciphertext under the mailbox's own key. Only mail
 * received after this event counts.
 */
export const MailboxConnected = event('MailboxConnected', {
  ...mailbox,
  agentId: Id,
  address: Ciphertext,
  ...settings,
  connectedBy: Id,
});
/** The same address was connected again, with other credentials or settings. */
export const MailboxChanged = event('MailboxChanged', { ...mailbox, ...settings });
/** Once per mail. Without a task, `reason` says why. */
export const MailReceived = event('MailReceived', {
  ...mail,
  /** The sender's address, if the mail has one. */
  sender: Ciphertext.nullable(),
  subject: Ciphertext,
  taskId: Id.nullable(),
  /** Why it creates no task, or gets no reply: `bounce`, `automatic`, … */
  reason: z.string().nullable(),
});
/** The reply is about to be sent. From now on it is never sent again automatically. */
export const ReplyIntended = event('ReplyIntended', {
  ...mail,
  /** Counted from 1. */
  attempt: z.int(),
});
export const ReplySent = event('ReplySent', { ...mail, attempt: z.int() });
/** The server refused it temporarily; it is retried later. */
export const ReplyDelayed = event('ReplyDelayed', { ...mail, attempt: z.int() });
/** The server refused it permanently; it is not retried. */
export const ReplyRejected = event('ReplyRejected', { ...mail, attempt: z.int() });
/** Its delivery is uncertain; only a person can send it again. */
export const ReplyUncertain = event('ReplyUncertain', { ...mail, attempt: z.int() });
export const ReplyResendRequested = event('ReplyResendRequested', { ...mail, requestedBy: Id });
/** The third failure in a row. `isStopped`: polling stops until a person acts. */
export const MailboxFailed = event('MailboxFailed', {
  ...mailbox,
  code: z.string(),
  isStopped: z.boolean(),
});
/** Polling works again. */
export const MailboxRecovered = event('MailboxRecovered', mailbox);
export const MailboxPaused = event('MailboxPaused', {
  ...mailbox,
  /** Null: automatically, because too much mail arrived or left. */
  pausedBy: Id.nullable(),
  reason: z.enum(['by-person', 'too-much-mail', 'too-many-replies']),
});
export const MailboxResumed = event('MailboxResumed', { ...mailbox, resumedBy: Id });
export const MailboxDisconnected = event('MailboxDisconnected', {
  ...mailbox,
  /** Null: together with its agent. */
  disconnectedBy: Id.nullable(),
});

/** Every event of the stream, by type. */
export const mailboxEvents = {
  MailboxConnected,
  MailboxChanged,
  MailReceived,
  ReplyIntended,
  ReplySent,
  ReplyDelayed,
  ReplyRejected,
  ReplyUncertain,
  ReplyResendRequested,
  MailboxFailed,
  MailboxRecovered,
  MailboxPaused,
  MailboxResumed,
  MailboxDisconnected,
};
export type MailboxEvent = EventsOf<typeof mailboxEvents>;
