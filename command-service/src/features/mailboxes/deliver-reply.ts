import type { MailboxAccess } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { SendMailOptions } from 'nodemailer';
import { type Outcome, type SmtpTimes, sendMessage } from '../../kit/mail/smtp.ts';
import type { Answerable } from './mail-list.ts';
import { replySubject, replyText } from './mail-texts.ts';
import { sendByGmail } from './sources/gmail-sending.ts';
import { MailFailure } from './sources/mail-failure.ts';
import type { MailGround } from './sources/mail-ground.ts';
import { smtpOptions } from './sources/smtp-server.ts';

export type Reply = {
  readonly mailId: string;
  /** The mailbox's own address, and the name of its agent. */
  readonly from: { readonly name: string; readonly address: string };
  readonly answerable: Answerable;
  readonly template: string;
  readonly answer: string;
};

/** The reply to a mail: the same for every try, its Message-ID too. */
export function replyMessage({
  mailId,
  from,
  answerable,
  template,
  answer,
}: Reply): SendMailOptions {
  const { to, name, subject, messageId, references, quote } = answerable;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const thread = messageId ? [...references.filter((id) => id !== messageId), messageId] : [];
  return {
    from,
    to: { name, address: to },
    subject: replySubject(subject),
    text: replyText(template, { answer, subject, name, agent: from.name, quote }),
    messageId: `<${derivedId(mailId, 'reply')}@${domain}>`,
    ...(messageId ? { inReplyTo: messageId, references: thread } : {}),
    // Who gets it need not answer that they are on holiday (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' },
  };
}

/** Hands a reply over and says what became of it. Never throws. */
export async function deliverReply(
  reply: Reply,
  access: MailboxAccess,
  ground: MailGround,
  sending: { readonly times: SmtpTimes; readonly signal: AbortSignal },
): Promise<Outcome> {
  const message = replyMessage(reply);
  try {
    if (access.provider === 'gmail') {
      return await sendByGmail(message, reply.answerable, access, ground, sending);
    }
    if (!access.smtp) return { kind: 'undelivered', reason: 'Replies wait for an SMTP server.' };
    const server = await smtpOptions(access.smtp, ground.policy, sending.signal);
    return await sendMessage(server, message, reply.answerable.to, sending);
  } catch (error) {
    // Before anything was handed over.
    const reason = error instanceof MailFailure ? error.message : 'The mail could not be sent.';
    return { kind: 'undelivered', reason };
  }
}
