import type { MailContent } from '@tallyhand/service-kit/crypto/sealed-box';
import type { SendMailOptions, SMTPTransportOptions } from 'nodemailer';

export type MailSettings = {
  /** As smtp://user:password@host:587, or smtps. */
  readonly smtpUrl: string;
  /** As Tallyhand <tallyhand@example.com>. */
  readonly from: string;
};

/** How long a server may take, in milliseconds. */
export type SmtpTimes = {
  readonly connectMs: number;
  /** Without a byte. */
  readonly silenceMs: number;
  /** In total. */
  readonly totalMs: number;
};

export const SMTP_TIMES: SmtpTimes = { connectMs: 20_000, silenceMs: 60_000, totalMs: 120_000 };

export type Outcome =
  | { readonly kind: 'sent' }
  /** It was not delivered, and a retry may succeed. */
  | { readonly kind: 'undelivered'; readonly reason: string }
  /** A permanent rejection. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The whole message was sent, but the server did not confirm it. */
  | { readonly kind: 'uncertain'; readonly reason: string };

const REASON_LENGTH_MAX = 300;

type SmtpError = Error & { code?: string; command?: string; response?: string };

type Sending = { readonly times: SmtpTimes; readonly signal: AbortSignal };

/** Sends one mail and returns the outcome. Never throws. */
export function sendBySmtp(
  { smtpUrl, from }: MailSettings,
  mail: MailContent & { readonly messageId: string },
  sending: Sending,
): Promise<Outcome> {
  const { to, subject, text, html, replyTo, attachment, messageId } = mail;
  const message = {
    from,
    subject,
    text,
    html,
    messageId,
    to: { name: '', address: to },
    ...(replyTo ? { replyTo: { name: '', address: replyTo } } : {}),
    ...(attachment
      ? {
          attachments: [
            {
              filename: attachment.name,
              content: attachment.content,
              contentType: 'application/json',
            },
          ],
        }
      : {}),
    // Generated mail: automatic replies have no reader.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
  return sendMessage({ url: smtpUrl }, message, to, sending);
}

/** Sends a message to one address by one server and returns the outcome. Never throws. */
export async function sendMessage(
  server: SMTPTransportOptions,
  message: SendMailOptions,
  to: string,
  { times, signal }: Sending,
): Promise<Outcome> {
  // Loaded with the first mail, as it takes memory.
  const { createTransport } = await import('nodemailer');
  let isHandedOver = false;
  const deadline = AbortSignal.timeout(times.totalMs);
  const transport = createTransport({
    ...server,
    connectionTimeout: times.connectMs,
    greetingTimeout: times.connectMs,
    socketTimeout: times.silenceMs,
    logger: {
      // nodemailer reports only here that the whole message was sent.
      info: (entry: { tnx?: string }) => {
        if (entry.tnx === 'message') isHandedOver = true;
      },
    },
  });
  try {
    await transport.sendMail({
      ...message,
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: AbortSignal.any([signal, deadline]),
    });
    return { kind: 'sent' };
  } catch (thrown) {
    const error = thrown as SmtpError;
    const reason = deadline.aborted
      ? `The mail server took longer than ${times.totalMs / 1000} seconds.`
      : reasonOf(error, to);
    if (isPermanent(error)) return { kind: 'refused', reason };
    const isUncertain = isHandedOver && !/^[45]\d\d/.test(error.response ?? '');
    return { kind: isUncertain ? 'uncertain' : 'undelivered', reason };
  } finally {
    transport.close();
  }
}

/** A 5xx for the recipient or the message. One for the sign-in can be fixed by the operator. */
function isPermanent({ code, command, response }: SmtpError): boolean {
  if (code === 'EENVELOPE' && command === 'API') return true;
  return Boolean(response?.startsWith('5')) && (command === 'RCPT TO' || command === 'DATA');
}

/** The reason as an Admin reads it, without the address, which is not stored in plain text. */
function reasonOf({ message, response }: SmtpError, to: string): string {
  const said = response ?? message;
  const shown = said.replaceAll(to, '…').replace(/\s+/g, ' ').trim();
  return shown.slice(0, REASON_LENGTH_MAX);
}
