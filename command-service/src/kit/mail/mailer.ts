import { type SealedBox, sealMail } from '@tallyhand/service-kit/crypto/sealed-box';
import type { Log } from '@tallyhand/service-kit/log';
import { withTrace } from '@tallyhand/service-kit/tracing/tracing';
import type pg from 'pg';
import { composeMail, type MailText } from './compose.ts';
import type { MailSettings } from './smtp.ts';

/**
 * `reset`, `email-undo` and `account` concern the recipient's own account and may hold links into it:
 * they are sent or not made, and no Admin ever reads them.
 */
export type MailKind = 'invitation' | 'notice' | 'support' | 'account' | 'reset' | 'email-undo';

const PRIVATE: ReadonlySet<MailKind> = new Set(['account', 'reset', 'email-undo']);

export type Mail = {
  /** Derived from what causes it: the same mail is made once, however often it is sent. */
  readonly id: string;
  /** The organization whose outbox lists it, if any. */
  readonly organizationId: string | null;
  readonly kind: MailKind;
  readonly to: string;
  /** Who gets it, where they have an account: it goes when they are erased. */
  readonly recipientId: string | null;
  /** What it is about, as the id of an invitation. */
  readonly aboutId?: string | null;
  readonly text: MailText;
};

/** `mail`: on its way; `kept`: for the outbox page; `none`: there is no server, and it is private. */
export type MailDelivery = 'mail' | 'kept' | 'none';

export type Mailer = {
  /** Whether an SMTP server is set up. */
  readonly isSet: boolean;
  /** Answers when the mail is stored; the worker sends it. */
  send(mail: Mail): Promise<MailDelivery>;
  /** What has not gone out about this never will: its links have ended. */
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
        log.warn('a private mail was not created: SMTP_URL is not set', {
          kind,
        });
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
