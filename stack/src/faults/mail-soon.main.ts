import { MAILBOX_TIMES } from '@tallyhand/command-service/features/mailboxes/mailbox-times';
import { configFromEnvironment } from '../application/env.ts';
import { startApplication } from '../application/start.ts';
import { SOON } from '../testing/soon.ts';

/** The application, which finds soon what another process has left of mailboxes and replies. */
await startApplication({
  ...configFromEnvironment(),
  // A mail server that says nothing is given up as late as ever.
  mailboxTimes: { ...SOON, smtp: MAILBOX_TIMES.smtp },
});
process.stdout.write('ready\n');
