import type { MailboxAccess } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { openGmail } from './gmail-source.ts';
import type { MailSource, OutboundMailConfig } from './mail-source.ts';
import { openPop3 } from './pop3-source.ts';

/** Signs in to a mailbox. Rejects with MailFailure. */
export async function openSource(
  access: MailboxAccess,
  outbound: OutboundMailConfig,
  signal: AbortSignal,
): Promise<MailSource> {
  switch (access.provider) {
    case 'gmail':
      return openGmail(access, outbound, signal);
    case 'imap':
      return (await import('./imap-source.ts')).openImap(access, outbound.policy, signal);
    case 'pop3':
      return openPop3(access, outbound.policy, signal);
  }
}
