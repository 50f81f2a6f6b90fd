import { SMTP_TIMES, type SmtpTimes } from '../../kit/mail/smtp.ts';

/** When mailboxes are looked into and replies tried again, in milliseconds. */
export type MailboxTimes = {
  /** How often is looked for what is due. */
  readonly lookMs: number;
  /** How long a second of a poll interval is. */
  readonly secondMs: number;
  /** A mailbox whose worker is not heard of for so long is another's. */
  readonly leaseMs: number;
  /** Without a step forward a look ends. */
  readonly silenceMs: number;
  /** After the first failure; each later one doubles it. */
  readonly retryMs: number;
  readonly retryMsMax: number;
  /** After its coming a mail is not answered any more where that fails. */
  readonly giveUpMs: number;
  readonly smtp: SmtpTimes;
};

export const MAILBOX_TIMES: MailboxTimes = {
  lookMs: 1_000,
  secondMs: 1_000,
  leaseMs: 30_000,
  silenceMs: 90_000,
  retryMs: 60_000,
  retryMsMax: 3_600_000,
  giveUpMs: 86_400_000,
  smtp: SMTP_TIMES,
};
