import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { apiKeyStream } from './api-key.decider.ts';

/** The names of API keys; null for a revoked one, or another organization's. */
export const keyNames =
  ({ pool }: Pick<Kit, 'pool'>) =>
  async (keyId: string, organizationId: string): Promise<string | null> => {
    const { rows } = await pool.query<{ name: string }>(
      `select name from operational.api_keys
       where key_id = $1 and organization_id = $2 and revoked_at is null`,
      [keyId, organizationId],
    );
    return rows[0]?.name ?? null;
  };

/** Stores when a key was used, and how often in this hour. Ignores invalid keys. */
export const keyUsesOf =
  ({ pool, log }: { readonly pool: pg.Pool; readonly log: Log }) =>
  async (digest: string, count: number): Promise<void> => {
    try {
      await pool.query(
        `with used as (
           update operational.api_keys set last_used_at = now()
           where digest = $1 and revoked_at is null and (expires_at is null or expires_at > now())
           returning key_id, organization_id)
         insert into operational.api_key_uses as u (key_id, organization_id, hour, count)
         select key_id, organization_id, date_trunc('hour', now(), 'UTC'), $2 from used
         on conflict (key_id, hour) do update set count = u.count + excluded.count`,
        [digest, count],
      );
    } catch (error) {
      log.warn('the use of an API key was not recorded', errorFields(error));
    }
  };

/** Revokes the keys that a member made, and those that were made with them. May be repeated. */
export function keysEndedBy(kit: Kit) {
  const keys = kit.streams.of(apiKeyStream);
  return async (context: CommandContext, organizationId: string, memberId: string) => {
    const { rows } = await kit.pool.query<{ key_id: string }>(
      `update operational.api_keys set revoked_at = coalesce(revoked_at, now())
       where organization_id = $1 and member_id = $2 returning key_id`,
      [organizationId, memberId],
    );
    for (const { key_id } of rows) {
      const command = { type: 'RevokeApiKey', data: { organizationId } } as const;
      const answer = await keys.send(key_id, command, context);
      if (isRefusal(answer)) throw new Error(`A key was not revoked: ${answer.code}`);
    }
  };
}
