import type { Role } from '@tallyhand/contracts/features/identity/role';
import { inTransaction } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';

type Access = {
  readonly userId: string;
  readonly organizationId: string;
  readonly role: Role;
  readonly isActive: boolean;
  /** Of how many changes of its organization's members it tells. */
  readonly changes: number;
};

/** What every request is checked by. */
export const accessOf = (pool: pg.Pool) => ({
  /** What tells of fewer changes than is known already is passed over. */
  set: ({ userId, organizationId, role, isActive, changes }: Access): Promise<void> =>
    inTransaction(pool, async (client) => {
      await client.query(
        `insert into operational.access (user_id, organization_id, role, is_active, changes)
         values ($1, $2, $3, $4, $5)
         on conflict (user_id) do update
         set role = excluded.role, is_active = excluded.is_active, changes = excluded.changes
         where access.changes <= excluded.changes`,
        [userId, organizationId, role, isActive, changes],
      );
      // Whoever comes back signs in anew.
      await client.query(
        `update operational.sign_ins s set ended_at = now()
         from operational.access a
         where s.user_id = $1 and s.ended_at is null and a.user_id = s.user_id
           and not a.is_active`,
        [userId],
      );
    }),
});
