import { type SealedBox, sealMail } from '@tallyhand/service-kit/crypto/sealed-box';
import type { Log } from '@tallyhand/service-kit/log';
import { withTrace } from '@tallyhand/service-kit/tracing/tracing';
import type pg from 'pg';
import { composeMail, type MailText } from './compose.ts';
import type { MailSettings } from './smtp.ts';

/**
 * `reset`, `email-undo` and `account` may contain links into the recipient's account: without a mail
 * server they are not made, and no Admin can read them.
 */
export type MailKind = 'invitation' | 'notice' | 'support' | 'account' | 'reset' | 'email-undo';

const PRIVATE: ReadonlySet<MailKind> = new Set(['account', 'reset', 'email-undo']);

export type Mail = {
  /** Derived from its cause, so that the same mail is made only once. */
  readonly id: string;
  /** The organization whose outbox lists it, if any. */
  readonly organizationId: string | null;
  readonly kind: MailKind;
  readonly to: string;
  /** The recipient's account, if any: the mail is deleted when they are erased. */
  readonly recipientId: string | null;
  /** The subject, such as the id of an invitation. */
  readonly aboutId?: string | null;
  readonly text: MailText;
};

/** `mail`: will be sent; `kept`: for the outbox page; `none`: private, and there is no server. */
export type MailDelivery = 'mail' | 'kept' | 'none';

export type Mailer = {
  /** Whether an SMTP server is configured. */
  readonly isSet: boolean;
  /** Resolves when the mail is stored. The worker sends it. */
  send(mail: Mail): Promise<MailDelivery>;
  /** Deletes unsent mail about this, whose links are no longer valid. */
  withdraw(organizationId: string, aboutId: string): Promise<void>;
};

export const MAIL_CHANNEL = 'outgoing_mail';

type Context = {
  readonly pool: pg.Pool;
  readonly box: SealedBox;
  readonly settings: { readonly mail?: MailSettings | undefined };
  readonly log: Log;
};

export function mailerOf({ pool, box, settings, log }: Context): Mailer {
  const isSet = settings.mail !== undefined;
  return {
    isSet,
    async send({ id, organizationId, kind, to, recipientId, aboutId = null, text }) {
      if (!isSet && PRIVATE.has(kind)) {
        log.warn('a private mail was not created: SMTP_URL is not set', { kind });
        return 'none';
      }
      const sealed = sealMail(box, id, withTrace({ to, ...composeMail(text) }));
      await pool.query(
        `with added as (
           insert into operational.outgoing_mail
             (mail_id, organization_id, kind, about_id, recipient_id, sealed, state)
           values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning state)
         select pg_notify($8, '') from added where state = 'waiting'`,
        [
          id,
          organizationId,
          kind,
          aboutId,
          recipientId,
          sealed,
          isSet ? 'waiting' : 'kept',
          MAIL_CHANNEL,
        ],
      );
      return isSet ? 'mail' : 'kept';
    },
    async withdraw(organizationId, aboutId) {
      await pool.query(
        `delete from operational.outgoing_mail
         where organization_id = $1 and about_id = $2 and state in ('waiting', 'kept')`,
        [organizationId, aboutId],
      );
    },
  };
}
