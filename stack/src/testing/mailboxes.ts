import {
  connectMailbox,
  listMailboxes,
  listMailboxMails,
  type Mailbox,
  type MailboxMail,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import {
  MailboxConnected,
  MailReceived,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.events';
import { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { ApiClient } from '@tallyhand/test-kit/api-client';
import { expect } from 'vitest';
import { DOVECOT_PASSWORD, type Dovecot } from './dovecot.ts';
import { appendPast } from './past-sessions.ts';
import type { TestProduct } from './product.ts';

/** A mail as it is written on the wire. */
export const mailFrom = (
  from: string,
  fields: { readonly id: string; readonly subject?: string; readonly text?: string },
  headers: readonly string[] = [],
) =>
  [
    `From: ${from}`,
    'To: support@shop.example',
    `Message-ID: <${fields.id}@mail.example>`,
    `Subject: ${fields.subject ?? 'A question'}`,
    'MIME-Version: 1.0',
    ...headers,
    'Content-Type: text/plain; charset=utf-8',
    '',
    fields.text ?? 'How long may I return it?',
  ].join('\r\n');

type Connecting = {
  readonly agentId: string;
  readonly address: string;
  readonly provider?: 'imap' | 'pop3';
  readonly smtpPort?: number;
  readonly password?: string;
  readonly settings?: object;
};

export const mailboxBody = (
  dovecot: Pick<Dovecot, 'imapPort' | 'pop3Port'>,
  { address, provider = 'imap', smtpPort, password, settings }: Omit<Connecting, 'agentId'>,
) => ({
  providerType: provider,
  emailAddress: address,
  credentials: {
    host: '127.0.0.1',
    port: provider === 'imap' ? dovecot.imapPort : dovecot.pop3Port,
    username: address,
    password: password ?? DOVECOT_PASSWORD,
    ssl: false,
    ...(smtpPort
      ? {
          smtp: {
            host: '127.0.0.1',
            port: smtpPort,
            username: address,
            password: 'secret',
            tls: false,
          },
        }
      : {}),
  },
  syncSettings: { pollInterval: 60, ...settings },
});

/** A mailbox whose host may not be reached: no server is called. */
export const unreachable = (settings: object = {}) =>
  mailboxBody(
    { imapPort: 993, pop3Port: 995 },
    { address: `${crypto.randomUUID()}@shop.example`, smtpPort: 465, settings },
  );

export async function newMailbox(client: ApiClient, agentId: string, settings: object = {}) {
  const options = { params: { id: agentId }, body: unreachable(settings) };
  const { status, body } = await client.call<Mailbox>(connectMailbox, options);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}

export async function mailboxOf(client: ApiClient, agentId: string): Promise<Mailbox> {
  const { body } = await client.call<Mailbox[]>(listMailboxes, { params: { id: agentId } });
  return body[0] ?? expect.fail('The agent has no mailbox');
}

/** Connects a mailbox of an agent, and waits for its first poll. */
export async function connectedBy(client: ApiClient, agentId: string, wanted: object) {
  const options = { params: { id: agentId }, body: wanted };
  const { status, body } = await client.call<Mailbox>(connectMailbox, options);
  expect(status, JSON.stringify(body)).toBe(201);
  await expect.poll(async () => (await mailboxOf(client, agentId)).lastPollAt).not.toBeNull();
  return body.id;
}

export const connected = (client: ApiClient, dovecot: Dovecot, options: Connecting) =>
  connectedBy(client, options.agentId, mailboxBody(dovecot, options));

export async function mailsOf(client: ApiClient, id: string): Promise<MailboxMail[]> {
  return (await client.call<MailboxMail[]>(listMailboxMails, { params: { id } })).body;
}

/** The mail with a subject, once its reply has this state. */
export async function repliedTo(client: ApiClient, id: string, subject: string, reply: string) {
  const find = async () => (await mailsOf(client, id)).find((mail) => mail.subject === subject);
  await expect.poll(async () => (await find())?.reply).toBe(reply);
  return (await find()) ?? expect.fail('The mail is gone');
}

type Own = { readonly organizationId: string; readonly userId: string; readonly agentId: string };

/** A mailbox that is not polled, with one mail; the key of its address is destroyed. */
export async function pastMailbox(
  config: TestProduct['config'],
  { organizationId, userId, agentId }: Own,
): Promise<void> {
  const mailbox = { mailboxId: newId(), organizationId };
  const unreadable = Ciphertext.parse('eyJhbGciOiJkaXIifQ..bm9uY2U.dGV4dA.dGFn');
  await appendPast(config, `mailbox-${mailbox.mailboxId}`, organizationId, [
    MailboxConnected({
      ...mailbox,
      agentId,
      connectedBy: userId,
      address: unreadable,
      provider: 'imap',
      credentialsId: newId(),
      canReply: false,
      pollInterval: 300,
      autoReply: true,
      replyTemplate: '{{answer}}',
      markAsRead: true,
    }),
    MailReceived({
      ...mailbox,
      mailId: newId(),
      taskId: null,
      reason: 'bounce',
      sender: null,
      subject: unreadable,
    }),
  ]);
}
