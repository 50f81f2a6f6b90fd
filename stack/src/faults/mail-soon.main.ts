import { MAILBOX_TIMES } from '@tallyhand/command-service/features/mailboxes/mailbox-list';
import { configFromEnvironment } from '../application/env.ts';
import { startApplication } from '../application/start.ts';
import { SOON } from '../testing/soon.ts';

/** The application with short time-outs for abandoned mailboxes and replies. */
await startApplication({
  ...configFromEnvironment(),
  // The time-out of a silent mail server is unchanged.
  mailboxTimes: { ...SOON, smtp: MAILBOX_TIMES.smtp },
});
process.stdout.write('ready\n');
