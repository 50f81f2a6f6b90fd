import { z } from 'zod';
import { Ciphertext, Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

const mailbox = { mailboxId: Id, organizationId: Id };
const mail = { ...mailbox, mailId: Id };
const settings = {
  provider: z.enum(['gmail', 'pop3', 'imap']),
  /** Of the credentials, which the vault keeps. */
  credentialsId: Id,
  canReply: z.boolean(),
  pollInterval: z.int(),
  autoReply: z.boolean(),
  replyTemplate: z.string(),
  markAsRead: z.boolean(),
};

/**
 * On `mailbox-{id}`. Addresses and subjects are ciphertext under a key of the mailbox's own. Mail
 * counts that comes after this.
 */
export const MailboxConnected = event('MailboxConnected', {
  ...mailbox,
  agentId: Id,
  address: Ciphertext,
  ...settings,
  connectedBy: Id,
});
/** Connected again by the same address: with other credentials or settings. */
export const MailboxChanged = event('MailboxChanged', { ...mailbox, ...settings });
/** Once for each mail. Without a task: `reason` says why it makes none. */
export const MailReceived = event('MailReceived', {
  ...mail,
  /** The address of whoever sent it, if it names one. */
  sender: Ciphertext.nullable(),
  subject: Ciphertext,
  taskId: Id.nullable(),
  /** Why it makes no task, or why it will not be answered: `bounce`, `automatic`, … */
  reason: z.string().nullable(),
});
/** The reply is about to go out: whatever happens after it, it is not sent again by itself. */
export const ReplyIntended = event('ReplyIntended', {
  ...mail,
  /** Counted from 1. */
  attempt: z.int(),
});
export const ReplySent = event('ReplySent', { ...mail, attempt: z.int() });
/** Nobody got it; it is tried again later. */
export const ReplyDelayed = event('ReplyDelayed', { ...mail, attempt: z.int() });
/** Nobody got it, and it is not tried again. */
export const ReplyRejected = event('ReplyRejected', { ...mail, attempt: z.int() });
/** Whether it arrived was never said; only a person sends it again. */
export const ReplyUncertain = event('ReplyUncertain', { ...mail, attempt: z.int() });
export const ReplyResendRequested = event('ReplyResendRequested', { ...mail, requestedBy: Id });
/** The third failure in a row. `isStopped`: nothing is tried any more until somebody acts. */
export const MailboxFailed = event('MailboxFailed', {
  ...mailbox,
  code: z.string(),
  isStopped: z.boolean(),
});
/** It works again. */
export const MailboxRecovered = event('MailboxRecovered', mailbox);
export const MailboxPaused = event('MailboxPaused', {
  ...mailbox,
  /** Null: by itself, since too much came or went. */
  pausedBy: Id.nullable(),
  reason: z.enum(['by-person', 'too-much-mail', 'too-many-replies']),
});
export const MailboxResumed = event('MailboxResumed', { ...mailbox, resumedBy: Id });
export const MailboxDisconnected = event('MailboxDisconnected', {
  ...mailbox,
  /** Null: with its agent. */
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
