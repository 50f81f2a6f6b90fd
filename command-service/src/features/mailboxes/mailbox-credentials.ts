import { MailboxAccess } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import type { Kit } from '../../kit/app.ts';

type Ids = { readonly organizationId: string; readonly mailboxId: string; readonly id: string };

/** What it takes to reach mailboxes, encrypted at rest. It goes to the mail servers, and no further. */
export function mailboxCredentials({ pool, box }: Pick<Kit, 'pool' | 'box'>) {
  const contextOf = (mailboxId: string, id: string) => `mailbox-credentials ${mailboxId} ${id}`;
  return {
    /** Keeps them under an id that the mailbox's event names. May be repeated. */
    async keep({ organizationId, mailboxId, id }: Ids, access: MailboxAccess) {
      const sealed = box.seal(Buffer.from(JSON.stringify(access)), contextOf(mailboxId, id));
      await pool.query(
        `insert into operational.mailbox_credentials
           (credentials_id, mailbox_id, organization_id, sealed)
         values ($1, $2, $3, $4) on conflict (credentials_id) do nothing`,
        [id, mailboxId, organizationId, sealed],
      );
    },
    /** Forgets all of a mailbox but the ones that its newest event names; null: all. */
    async forgetOthers(mailboxId: string, id: string | null) {
      await pool.query(
        `delete from operational.mailbox_credentials
         where mailbox_id = $1 and credentials_id is distinct from $2`,
        [mailboxId, id],
      );
    },
    async read(mailboxId: string, id: string): Promise<MailboxAccess> {
      const { rows } = await pool.query<{ sealed: Buffer }>(
        `select sealed from operational.mailbox_credentials
         where credentials_id = $1 and mailbox_id = $2`,
        [id, mailboxId],
      );
      const sealed = rows[0]?.sealed;
      if (!sealed) throw new Error(`The credentials of mailbox ${mailboxId} are missing`);
      const text = box.open(sealed, contextOf(mailboxId, id)).toString('utf8');
      return MailboxAccess.parse(JSON.parse(text));
    },
  };
}
