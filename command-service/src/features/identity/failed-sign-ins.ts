import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';

const FAILURES_MAX = 5;
const WINDOW_MINUTES = 15;

/** Wrong passwords are counted for each account and network address together. */
export function failedSignInsOf({ pool, box, settings }: Kit) {
  const addressKey = (ip: string) => box.keyedHash('source-address', ip);
  return {
    /** Seconds until the next try is allowed, or null when it is allowed now. */
    async waitSeconds(accountKey: string, ip: string): Promise<number | null> {
      const { rows } = await pool.query<{ failures: string; seconds: number | null }>(
        `select count(*) as failures,
           ceil(extract(epoch from min(failed_at) + make_interval(mins => $3) - now()))::int
             as seconds
         from operational.sign_in_failures
         where account_key = $1 and address_key = $2
           and failed_at > now() - make_interval(mins => $3)`,
        [accountKey, addressKey(ip), WINDOW_MINUTES],
      );
      const failures = Number(rows[0]?.failures ?? 0);
      if (failures < FAILURES_MAX * Math.max(1, settings.rateLimitScale)) return null;
      return Math.max(1, rows[0]?.seconds ?? 1);
    },
    async record(accountKey: string, ip: string): Promise<void> {
      await pool.query(
        `insert into operational.sign_in_failures (failure_id, account_key, address_key)
         values ($1, $2, $3)`,
        [newId(), accountKey, addressKey(ip)],
      );
      await pool.query(
        `delete from operational.sign_in_failures
         where account_key = $1 and failed_at < now() - make_interval(mins => $2)`,
        [accountKey, WINDOW_MINUTES],
      );
    },
    async forget(accountKey: string, ip: string): Promise<void> {
      await pool.query(
        'delete from operational.sign_in_failures where account_key = $1 and address_key = $2',
        [accountKey, addressKey(ip)],
      );
    },
  };
}
