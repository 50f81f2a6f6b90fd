import type { Kit } from '../../kit/app.ts';
import { userStream } from './user.decider.ts';

/** What members are called; null for who is none of the organization's any more. */
export function personNames({ pool, personKeys, streams }: Kit) {
  const users = streams.of(userStream);
  return async (userId: string, organizationId: string): Promise<string | null> => {
    const { rowCount } = await pool.query(
      `select from operational.access
       where user_id = $1 and organization_id = $2 and is_active`,
      [userId, organizationId],
    );
    if (rowCount === 0) return null;
    const { registered } = await users.known(userId);
    return registered && personKeys.reveal(userId, registered.username);
  };
}
