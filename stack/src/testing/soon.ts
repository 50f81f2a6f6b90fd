import {
  MAILBOX_TIMES,
  type MailboxTimes,
} from '@tallyhand/command-service/features/mailboxes/mailbox-list';

/** Soon enough for a test: an interval of a minute is a third of a second. */
export const SOON: MailboxTimes = {
  ...MAILBOX_TIMES,
  lookMs: 20,
  secondMs: 5,
  leaseMs: 3_000,
  retryMs: 50,
  retryMsMax: 200,
  smtp: { connectMs: 1_000, silenceMs: 1_000, totalMs: 3_000 },
};
