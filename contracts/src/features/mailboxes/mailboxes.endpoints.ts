import { z } from 'zod';
import { ADMINS, AGENT_MANAGERS, MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { MailboxInput, PROVIDERS } from './mailboxes.fields.ts';
import {
  AddressConnected,
  MailboxNotPaused,
  RepliesWaitForSmtp,
  ReplyNotOpen,
} from './mailboxes.refusals.ts';

/** A connected mailbox of an agent. */
export const Mailbox = z.object({
  id: Id,
  agentId: Id,
  providerType: z.enum(PROVIDERS),
  emailAddress: z.string(),
  /** `connected`; `polling`: being polled now; `failing`: polling fails. */
  status: z.enum(['connected', 'polling', 'failing', 'paused']),
  /** Why it is paused: `by-person`, `too-much-mail`, `too-many-replies`, `agent-paused`. */
  pauseReason: z.string().nullable(),
  syncSettings: z.object({
    pollInterval: z.int(),
    autoReply: z.boolean(),
    replyTemplate: z.string(),
    markAsRead: z.boolean(),
  }),
  /** False: replies wait for an SMTP server. */
  canReply: z.boolean(),
  lastPollAt: Instant.nullable(),
  nextPollAt: Instant.nullable(),
  /** A sentence, and its code. */
  lastError: z.string().nullable(),
  lastErrorCode: z.string().nullable(),
  createdAt: Instant,
});
export type Mailbox = z.infer<typeof Mailbox>;

export const REPLY_STATES = ['none', 'waiting', 'sending', 'sent', 'failed', 'uncertain'] as const;

/** An incoming mail and its outcome. */
export const MailboxMail = z.object({
  id: Id,
  from: z.string().nullable(),
  subject: z.string(),
  taskId: Id.nullable(),
  /** Why it created no task, or gets no reply. */
  reason: z.string().nullable(),
  reply: z.enum(REPLY_STATES),
  createdAt: Instant,
});
export type MailboxMail = z.infer<typeof MailboxMail>;

const Checked = z.object({
  works: z.boolean(),
  /** A sentence about what fails, and its code. */
  error: z.string().nullable(),
  code: z.string().nullable(),
});

/** Results of testing a mailbox; `send` is null if there is no SMTP server to test. */
export const MailboxTest = z.object({ fetch: Checked, send: Checked.nullable() });
export type MailboxTest = z.infer<typeof MailboxTest>;

const params = z.strictObject({ id: Id });
const feature = 'mailboxes';

export const connectMailbox = endpoint({
  name: 'connectMailbox',
  method: 'POST',
  path: '/api/agents/{id}/email-integration',
  access: AGENT_MANAGERS,
  feature,
  summary:
    'Let an agent answer the mail of an address; the same address again changes its credentials and settings',
  params,
  body: MailboxInput,
  example: {
    providerType: 'imap',
    emailAddress: 'support@example.com',
    credentials: { host: 'imap.example.com', username: 'support', password: 'a-password' },
  },
  isKeyless: true,
  status: 201,
  answer: Mailbox,
  refusals: [AddressConnected],
});
export const listMailboxes = endpoint({
  name: 'listMailboxes',
  method: 'GET',
  path: '/api/agents/{id}/email-integrations',
  access: MEMBERS,
  feature,
  summary: 'The mailboxes of an agent, newest first, with their state',
  params,
  query: Page,
  status: 200,
  answer: z.array(Mailbox),
});
export const listAllMailboxes = endpoint({
  name: 'listAllMailboxes',
  method: 'GET',
  path: '/api/email-integrations',
  access: MEMBERS,
  feature,
  summary: 'The mailboxes of all agents, newest first, with their state',
  query: Page,
  status: 200,
  answer: z.array(Mailbox),
});
export const testNewMailbox = endpoint({
  name: 'testNewMailbox',
  method: 'POST',
  path: '/api/email-integrations/test',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Try a mailbox before it is connected; nothing is stored',
  body: MailboxInput,
  example: {
    providerType: 'imap',
    emailAddress: 'support@example.com',
    credentials: { host: 'imap.example.com', username: 'support', password: 'a-password' },
  },
  isKeyless: true,
  status: 200,
  answer: MailboxTest,
});
export const testMailbox = endpoint({
  name: 'testMailbox',
  method: 'POST',
  path: '/api/email-integrations/{id}/test',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Try a connected mailbox: signing in to fetch and to send, each for itself',
  params,
  status: 200,
  answer: MailboxTest,
});
export const pauseMailbox = endpoint({
  name: 'pauseMailbox',
  method: 'POST',
  path: '/api/email-integrations/{id}/pause',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Look into a mailbox no more until it is resumed; its mail waits',
  params,
  status: 200,
  answer: Mailbox,
});
export const resumeMailbox = endpoint({
  name: 'resumeMailbox',
  method: 'POST',
  path: '/api/email-integrations/{id}/resume',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Look into a mailbox again that pauses, or that was given up',
  params,
  status: 200,
  answer: Mailbox,
  refusals: [MailboxNotPaused],
});
export const disconnectMailbox = endpoint({
  name: 'disconnectMailbox',
  method: 'DELETE',
  path: '/api/email-integrations/{id}',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Disconnect a mailbox: its credentials are forgotten, and nothing is answered any more',
  params,
  status: 204,
});
export const listMailboxMails = endpoint({
  name: 'listMailboxMails',
  method: 'GET',
  path: '/api/email-integrations/{id}/mails',
  access: MEMBERS,
  feature,
  summary: 'The mail of a mailbox, newest first, and what became of it',
  params,
  query: Page,
  status: 200,
  answer: z.array(MailboxMail),
});
export const sendReplyAgain = endpoint({
  name: 'sendReplyAgain',
  method: 'POST',
  path: '/api/email-integrations/mails/{id}/send-again',
  access: ADMINS,
  feature,
  summary: 'Send a reply again that failed or may not have arrived',
  params,
  status: 202,
  answer: z.object({ id: Id, state: z.literal('waiting') }),
  refusals: [ReplyNotOpen, RepliesWaitForSmtp],
});
