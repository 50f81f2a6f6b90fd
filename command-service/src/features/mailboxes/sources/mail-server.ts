import { isIP } from 'node:net';
import { guardedLookup, type OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { reportFailure } from '@tallyhand/agent-runtime/guard/outbound-errors';
import type { SmtpCredentials } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import type { SMTPTransportOptions } from 'nodemailer';
import { mailFailure, wrongPassword } from './mail-failure.ts';

export type CheckedHost = {
  /** Connect to this address: the name must not be resolved a second time. */
  readonly address: string;
  /** The name that the certificate must be for. */
  readonly servername: string | undefined;
};

/** The address of a mail server that may be reached. Throws OutboundRefused and OutboundFailed. */
export async function checkedHost(
  { host, port }: { readonly host: string; readonly port: number },
  policy: OutboundPolicy,
  signal: AbortSignal,
): Promise<CheckedHost> {
  const [first] = await guardedLookup(host, port, policy, signal).catch((error) => {
    reportFailure(error, policy.onOutbound);
    throw error;
  });
  if (!first) throw new Error('The guard gave no address');
  return { address: first.address, servername: isIP(host) === 0 ? host : undefined };
}

/** Ports with STARTTLS (RFC 6409); other ports use TLS from the start. */
const STARTTLS_PORTS: ReadonlySet<number> = new Set([25, 587, 2525]);

/** How to connect to an SMTP server, its host checked. Rejects with MailFailure. */
export async function smtpOptions(
  { host, port, username, password, tls }: SmtpCredentials,
  policy: OutboundPolicy,
  signal: AbortSignal,
): Promise<SMTPTransportOptions> {
  try {
    const { address, servername } = await checkedHost({ host, port }, policy, signal);
    const begins = STARTTLS_PORTS.has(port);
    return {
      host: address,
      port,
      auth: { user: username, pass: password },
      secure: tls && !begins,
      requireTLS: tls && begins,
      ignoreTLS: !tls,
      ...(servername ? { servername } : {}),
    };
  } catch (error) {
    throw mailFailure(error, host);
  }
}

/** Signs in to an SMTP server, and sends nothing. Rejects with MailFailure. */
export async function trySmtp(
  credentials: SmtpCredentials,
  policy: OutboundPolicy,
  signal: AbortSignal,
): Promise<void> {
  const { host } = credentials;
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(await smtpOptions(credentials, policy, signal));
  const close = () => transport.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    await Promise.race([transport.verify(), aborted]);
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw code === 'EAUTH' ? wrongPassword(host) : mailFailure(error, host);
  } finally {
    signal.removeEventListener('abort', close);
    transport.close();
  }
}
