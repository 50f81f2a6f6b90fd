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

/** Has its name in the API document. */
export { MailboxInput } from './mailboxes.fields.ts';

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

const mailboxExample: Mailbox = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  agentId: '0193a1b2-0000-7000-8000-000000000002',
  providerType: 'imap',
  emailAddress: 'support@shop.example',
  status: 'connected',
  pauseReason: null,
  syncSettings: { pollInterval: 60, autoReply: true, replyTemplate: '', markAsRead: true },
  canReply: true,
  lastPollAt: '2027-01-31T09:30:00.539Z',
  nextPollAt: '2027-01-31T09:31:00.540Z',
  lastError: null,
  lastErrorCode: null,
  createdAt: '2027-01-31T09:30:00.000Z',
};

export const connectMailbox = endpoint({
  name: 'connectMailbox',
  method: 'POST',
  path: '/api/agents/{id}/email-integration',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Connect a mailbox',
  description:
    'Lets an agent answer the email of an address. Connecting the same address again replaces its credentials and settings.',
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
  answerExample: mailboxExample,
  refusals: [AddressConnected],
});
export const listMailboxes = endpoint({
  name: 'listMailboxes',
  method: 'GET',
  path: '/api/agents/{id}/email-integrations',
  access: MEMBERS,
  feature,
  summary: 'List the mailboxes of an agent',
  description: 'Returns the mailboxes of an agent with their state, newest first.',
  params,
  query: Page,
  status: 200,
  answer: z.array(Mailbox),
  answerExample: [mailboxExample],
});
export const listAllMailboxes = endpoint({
  name: 'listAllMailboxes',
  method: 'GET',
  path: '/api/email-integrations',
  access: MEMBERS,
  feature,
  summary: 'List all mailboxes',
  description: 'Returns the mailboxes of all agents with their state, newest first.',
  query: Page,
  status: 200,
  answer: z.array(Mailbox),
  answerExample: [mailboxExample],
});
const mailboxTestExample: MailboxTest = {
  fetch: { works: true, error: null, code: null },
  send: {
    works: false,
    error: 'No connection to smtp.shop.example could be made.',
    code: 'connect',
  },
};

export const testNewMailbox = endpoint({
  name: 'testNewMailbox',
  method: 'POST',
  path: '/api/email-integrations/test',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Test mailbox settings',
  description: 'Tries the settings of a mailbox before it is connected. Nothing is stored.',
  body: MailboxInput,
  example: {
    providerType: 'imap',
    emailAddress: 'support@example.com',
    credentials: { host: 'imap.example.com', username: 'support', password: 'a-password' },
  },
  isKeyless: true,
  status: 200,
  answer: MailboxTest,
  answerExample: mailboxTestExample,
});
export const testMailbox = endpoint({
  name: 'testMailbox',
  method: 'POST',
  path: '/api/email-integrations/{id}/test',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Test a mailbox',
  description: 'Tries to sign in to the incoming and the outgoing server of a connected mailbox.',
  params,
  status: 200,
  answer: MailboxTest,
  answerExample: mailboxTestExample,
});
export const pauseMailbox = endpoint({
  name: 'pauseMailbox',
  method: 'POST',
  path: '/api/email-integrations/{id}/pause',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Pause a mailbox',
  description: 'Stops checking the mailbox until it is resumed. Its email waits.',
  params,
  status: 200,
  answer: Mailbox,
  answerExample: mailboxExample,
});
export const resumeMailbox = endpoint({
  name: 'resumeMailbox',
  method: 'POST',
  path: '/api/email-integrations/{id}/resume',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Resume a mailbox',
  description: 'Checks a paused or failed mailbox again.',
  params,
  status: 200,
  answer: Mailbox,
  answerExample: mailboxExample,
  refusals: [MailboxNotPaused],
});
export const disconnectMailbox = endpoint({
  name: 'disconnectMailbox',
  method: 'DELETE',
  path: '/api/email-integrations/{id}',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Disconnect a mailbox',
  description: 'Deletes its credentials. Its email is no longer answered.',
  params,
  status: 204,
});
export const listMailboxMails = endpoint({
  name: 'listMailboxMails',
  method: 'GET',
  path: '/api/email-integrations/{id}/mails',
  access: MEMBERS,
  feature,
  summary: 'List the email of a mailbox',
  description: 'Returns the received email and its replies, newest first.',
  params,
  query: Page,
  status: 200,
  answer: z.array(MailboxMail),
  answerExample: [
    {
      id: '0193a1b2-0000-7000-8000-000000000001',
      from: 'grace@example.com',
      subject: 'Weekly news',
      taskId: '0193a1b2-0000-7000-8000-000000000002',
      reason: 'mailing-list',
      reply: 'none',
      createdAt: '2027-01-31T09:30:00.000Z',
    },
  ],
});
export const sendReplyAgain = endpoint({
  name: 'sendReplyAgain',
  method: 'POST',
  path: '/api/email-integrations/mails/{id}/send-again',
  access: ADMINS,
  feature,
  summary: 'Send a reply again',
  description: 'Sends a reply again that failed or may not have arrived.',
  params,
  status: 202,
  answer: z.object({ id: Id, state: z.literal('waiting') }),
  answerExample: { id: '0193a1b2-0000-7000-8000-000000000001', state: 'waiting' },
  refusals: [ReplyNotOpen, RepliesWaitForSmtp],
});
