import { MailboxAccess } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import type { Kit } from '../../kit/app.ts';
import { boundSecrets } from '../../kit/bound-secrets.ts';

type Ids = { readonly organizationId: string; readonly mailboxId: string; readonly id: string };

/**
 * What is needed to sign in to mailboxes, encrypted at rest. Servers, ports, encryption and
 * accounts are sealed in one value with their passwords: none can be changed without the others.
 */
export function mailboxCredentials(kit: Pick<Kit, 'pool' | 'box'>) {
  const secrets = boundSecrets(kit, 'mailbox');
  return {
    /** Keeps them under an id that the mailbox's event names. May be repeated. */
    keep: ({ mailboxId: ownerId, ...own }: Ids, access: MailboxAccess) =>
      secrets.keep({ ...own, ownerId }, access, null),
    forgetOthers: secrets.forgetOthers,
    async read(mailboxId: string, id: string): Promise<MailboxAccess> {
      const access = await secrets.open({ ownerId: mailboxId, id }, null);
      if (access === null) throw new Error(`The credentials of mailbox ${mailboxId} are missing`);
      return MailboxAccess.parse(access);
    },
  };
}
