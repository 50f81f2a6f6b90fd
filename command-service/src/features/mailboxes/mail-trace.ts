import type { MailboxAccess } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { beginSpan, type Span, tracedIn } from '@tallyhand/service-kit/tracing/tracing';
import type { Outcome } from '../../kit/mail/smtp.ts';
import type { HeldReply } from './mail-list.ts';
import type { HeldMailbox } from './mailbox-list.ts';
import { gmailHost } from './sources/gmail-api.ts';
import type { MailFailure } from './sources/mail-failure.ts';
import type { OutboundMailConfig } from './sources/mail-source.ts';

/** Of all that a mail brings about: its task, whatever follows from that, and its reply. */
export const correlationOf = (mailId: string): string => derivedId(mailId, 'correlation');

/** The server that mail is fetched from, without who is signed in there. */
const sourceHost = (access: MailboxAccess, outbound: OutboundMailConfig): string =>
  access.provider === 'gmail' ? gmailHost(outbound) : access.host;

/** The server that a reply is handed to; none where replies wait for one. */
export const replyHost = (access: MailboxAccess, outbound: OutboundMailConfig): string =>
  access.provider === 'gmail' ? gmailHost(outbound) : (access.smtp?.host ?? 'none');

/** Sends a reply as a part of the trace of the mail that it answers. */
export const tracedReply = (
  { mailId, organizationId, tries }: HeldReply,
  host: string,
  send: () => Promise<Outcome>,
): Promise<Outcome> =>
  tracedIn(
    correlationOf(mailId),
    'send reply',
    {
      kind: 'client',
      attributes: {
        'server.address': host,
        'tallyhand.organization': organizationId,
        'tallyhand.attempt': tries + 1,
      },
    },
    async (span) => {
      const outcome = await send();
      span?.set({ 'tallyhand.outcome': outcome.kind });
      if (outcome.kind !== 'sent') span?.fail();
      return outcome;
    },
  );

export type LookSpans = ReturnType<typeof lookSpans>;

/**
 * A span for each look into one mailbox, of which the first begins now, and a trace of its own. What
 * a mail brings about is not a part of it, but of the trace of the mail.
 */
export function lookSpans(
  { mailboxId, organizationId }: HeldMailbox,
  access: MailboxAccess,
  outbound: OutboundMailConfig,
) {
  const attributes = {
    'server.address': sourceHost(access, outbound),
    'tallyhand.provider': access.provider,
    'tallyhand.mailbox': mailboxId,
    'tallyhand.organization': organizationId,
  };
  let span: Span | null = null;
  let mails = 0;
  const begin = () => {
    span ??= beginSpan('poll mailbox', null, { kind: 'client', attributes });
    mails = 0;
  };
  const end = (outcome: string) => {
    span?.set({ 'tallyhand.outcome': outcome, 'tallyhand.mails': mails });
    span?.end();
    span = null;
  };
  begin();
  return {
    begin,
    tookIn() {
      mails += 1;
    },
    end,
    /** No look follows. A failure is told of a connection too that was lost while it waited for news. */
    close(failure: MailFailure | null) {
      if (failure && !span) begin();
      if (failure) span?.fail();
      end(failure?.code ?? 'stopped');
    },
  };
}
