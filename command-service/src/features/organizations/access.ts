import type { Role } from '@tallyhand/contracts/kernel/role';
import { inTransaction } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';

type OfMember = { readonly organizationId: string; readonly userId: string };
type Access = { readonly role: Role; readonly isActive: boolean };

/** What every request is checked by. */
export function accessOf(pool: pg.Pool) {
  let last: Promise<unknown> = Promise.resolve();

  return {
    /** Of a new member; of one who is known it stays as it is. */
    async add({ userId, organizationId }: OfMember, { role, isActive }: Access): Promise<void> {
      await pool.query(
        `insert into operational.access (user_id, organization_id, role, is_active)
         values ($1, $2, $3, $4) on conflict (user_id) do nothing`,
        [userId, organizationId, role, isActive],
      );
    },
    async set(client: pg.ClientBase, { userId }: OfMember, { role, isActive }: Access) {
      await client.query(
        'update operational.access set role = $2, is_active = $3 where user_id = $1',
        [userId, role, isActive],
      );
      if (isActive) return;
      // A readmitted member signs in again.
      await client.query(
        'update operational.sign_ins set ended_at = now() where user_id = $1 and ended_at is null',
        [userId],
      );
    },
    /**
     * Of several who bring one member in line each sees what the one before left. In a process they
     * go one by one, since each holds a connection while it needs others.
     */
    inTurn<T>(userId: string, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
      const next = last.then(() =>
        inTransaction(pool, async (client) => {
          await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
            `access of ${userId}`,
          ]);
          return work(client);
        }),
      );
      last = next.catch(() => {});
      return next;
    },
  };
}
