import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type pg from 'pg';

/** Notes when a key was used and how often in this hour. One that no longer counts is unknown. */
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
