import type { GmailCredentials } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { createTransport, type SendMailOptions } from 'nodemailer';
import type { Outcome, SmtpTimes } from '../../../kit/mail/smtp.ts';
import { gmailApi } from './gmail-api.ts';
import { MailFailure } from './mail-failure.ts';
import type { OutboundMailConfig } from './mail-source.ts';

/** What was not sent for sure when a call ends so. */
const NEVER_LEFT: ReadonlySet<string> = new Set(['connect', 'dns', 'tls', 'host-refused']);

/** Sends a message by Gmail's API. Rejects with MailFailure before anything was handed over. */
export async function sendByGmail(
  message: SendMailOptions,
  { threadId }: { readonly threadId: string | null },
  credentials: GmailCredentials,
  outbound: OutboundMailConfig,
  { times, signal: stop }: { readonly times: SmtpTimes; readonly signal: AbortSignal },
): Promise<Outcome> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(times.totalMs)]);
  const composer = createTransport({ streamTransport: true, buffer: true });
  const { message: bytes } = await composer.sendMail(message);
  const raw = Buffer.from(bytes as Buffer).toString('base64url');
  const api = await gmailApi(credentials, outbound, signal);
  try {
    const { status } = await api.post('/messages/send', { raw, ...(threadId ? { threadId } : {}) });
    return outcomeOf(status);
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    const kind = NEVER_LEFT.has(error.code) ? 'undelivered' : 'uncertain';
    return { kind, reason: error.message };
  }
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const reason = `Google answered with the status ${status}.`;
  // Too many at once, or not now: nothing was sent. Of other faults that is not said.
  if (status === 401 || status === 403 || status === 429 || status === 503) {
    return { kind: 'undelivered', reason };
  }
  return { kind: status >= 500 ? 'uncertain' : 'refused', reason };
}
