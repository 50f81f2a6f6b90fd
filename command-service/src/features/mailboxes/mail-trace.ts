import type { MailboxAccess } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { beginSpan, type Span, tracedIn } from '@tallyhand/service-kit/tracing/tracing';
import type { Outcome } from '../../kit/mail/smtp.ts';
import type { HeldReply } from './mail-list.ts';
import type { HeldMailbox } from './mailbox-list.ts';
import { gmailHost } from './sources/gmail-api.ts';
import type { MailFailure } from './sources/mail-failure.ts';
import type { OutboundMailConfig } from './sources/mail-source.ts';

/** The correlation id of a mail's task, the consequences, and the reply. */
export const correlationOf = (mailId: string): string => derivedId(mailId, 'correlation');

/** The host that mail is fetched from. */
const sourceHost = (access: MailboxAccess, outbound: OutboundMailConfig): string =>
  access.provider === 'gmail' ? gmailHost(outbound) : access.host;

/** The host that replies are handed to; `none` while no server is configured. */
export const replyHost = (access: MailboxAccess, outbound: OutboundMailConfig): string =>
  access.provider === 'gmail' ? gmailHost(outbound) : (access.smtp?.host ?? 'none');

/** Sends a reply in the trace of the mail that it answers. */
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

/**
 * A span with its own trace for each poll of one mailbox; the first begins now. The consequences of
 * a mail belong to the trace of the mail.
 */
export class PollSpans {
  readonly #attributes: Readonly<Record<string, string>>;
  #span: Span | null = null;
  #mails = 0;

  constructor(
    { mailboxId, organizationId }: HeldMailbox,
    access: MailboxAccess,
    outbound: OutboundMailConfig,
  ) {
    this.#attributes = {
      'server.address': sourceHost(access, outbound),
      'tallyhand.provider': access.provider,
      'tallyhand.mailbox': mailboxId,
      'tallyhand.organization': organizationId,
    };
    this.begin();
  }

  begin() {
    this.#span ??= beginSpan('poll mailbox', null, {
      kind: 'client',
      attributes: this.#attributes,
    });
    this.#mails = 0;
  }

  countMail() {
    this.#mails += 1;
  }

  end(outcome: string) {
    this.#span?.set({ 'tallyhand.outcome': outcome, 'tallyhand.mails': this.#mails });
    this.#span?.end();
    this.#span = null;
  }

  /** The last call. A connection that was lost while idle also gets a failed span. */
  close(failure: MailFailure | null) {
    if (failure && !this.#span) this.begin();
    if (failure) this.#span?.fail();
    this.end(failure?.code ?? 'stopped');
  }
}
