import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';

const FAILURES_MAX = 5;
const WINDOW_MINUTES = 15;

/** Wrong passwords are counted for each account and network address together. */
export function failedSignInsOf({ pool, box, settings }: Kit) {
  const addressKey = (ip: string) => box.keyedHash('source-address', ip);
  const limit = FAILURES_MAX * Math.max(1, settings.rateLimitScale);
  return {
    /**
     * Counts a try before its password is looked at, so that many at once are no more than many in
     * a row: `forget` takes back what a right one counted. Seconds until the next try is allowed,
     * or null when this one is.
     */
    async attempt(accountKey: string, ip: string): Promise<number | null> {
      const id = newId();
      await pool.query(
        `delete from operational.sign_in_failures
         where account_key = $1 and failed_at < now() - make_interval(mins => $2)`,
        [accountKey, WINDOW_MINUTES],
      );
      await pool.query(
        `insert into operational.sign_in_failures (failure_id, account_key, address_key)
         values ($1, $2, $3)`,
        [id, accountKey, addressKey(ip)],
      );
      const { rows } = await pool.query<{ tries: string; seconds: number | null }>(
        `select count(*) as tries,
           ceil(extract(epoch from min(failed_at) + make_interval(mins => $3) - now()))::int
             as seconds
         from operational.sign_in_failures
         where account_key = $1 and address_key = $2
           and failed_at > now() - make_interval(mins => $3)`,
        [accountKey, addressKey(ip), WINDOW_MINUTES],
      );
      if (Number(rows[0]?.tries ?? 0) <= limit) return null;
      // A try that was refused tells nothing about the password, and makes nobody wait for longer.
      await pool.query('delete from operational.sign_in_failures where failure_id = $1', [id]);
      return Math.max(1, rows[0]?.seconds ?? 1);
    },
    async forget(accountKey: string, ip: string): Promise<void> {
      await pool.query(
        'delete from operational.sign_in_failures where account_key = $1 and address_key = $2',
        [accountKey, addressKey(ip)],
      );
    },
  };
}
