import type { MailboxAccess } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { openGmail } from './gmail-source.ts';
import { openImap } from './imap-source.ts';
import type { MailGround } from './mail-ground.ts';
import type { MailSource } from './mail-source.ts';
import { openPop3 } from './pop3-source.ts';

/** Signs in to a mailbox. Rejects with MailFailure. */
export function openSource(
  access: MailboxAccess,
  ground: MailGround,
  signal: AbortSignal,
): Promise<MailSource> {
  switch (access.provider) {
    case 'gmail':
      return openGmail(access, ground, signal);
    case 'imap':
      return openImap(access, ground.policy, signal);
    case 'pop3':
      return openPop3(access, ground.policy, signal);
  }
}
