import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';

const PLACE = { max: 5, minutes: 15 };
/** From all unknown devices together: slower, and no one is locked out. */
const STRANGERS = { max: 20, minutes: 60 };

/**
 * Where a try comes from: a browser that has signed in to this account before, by its own mark,
 * and otherwise a network address.
 */
export type TriedFrom = { readonly known: string } | { readonly address: string };

/**
 * Wrong passwords and codes are counted for each account and place together, and those from places
 * that the account does not know for the account too: that never makes a known one wait.
 */
export function failedSignInsOf({ pool, box, settings }: Kit) {
  const scale = Math.max(1, settings.rateLimitScale);
  const keyOf = (from: TriedFrom) =>
    'known' in from
      ? box.keyedHash('known-place', from.known)
      : box.keyedHash('source-address', from.address);

  /** Seconds until the oldest try of those that count is forgotten; null while there is room. */
  const WAITS = `select case when count(*) > $3 then greatest(1, ceil(extract(epoch from
      min(failed_at) + make_interval(mins => $4) - now()))::int) end as seconds
    from operational.sign_in_failures
    where account_key = $1 and failed_at > now() - make_interval(mins => $4)`;

  async function secondsToWait(accountKey: string, from: TriedFrom): Promise<number | null> {
    const place = await pool.query<{ seconds: number | null }>(`${WAITS} and address_key = $2`, [
      accountKey,
      keyOf(from),
      PLACE.max * scale,
      PLACE.minutes,
    ]);
    const seconds = place.rows[0]?.seconds ?? null;
    if (seconds !== null || 'known' in from) return seconds;
    const strangers = await pool.query<{ seconds: number | null }>(`${WAITS} and is_known = $2`, [
      accountKey,
      false,
      STRANGERS.max * scale,
      STRANGERS.minutes,
    ]);
    return strangers.rows[0]?.seconds ?? null;
  }

  const takeBack = (id: string) =>
    pool.query('delete from operational.sign_in_failures where failure_id = $1', [id]);

  return {
    /**
     * Counts a try before it is looked at, so that many at once are no more than many in a row.
     * Gives what takes this one back, or the seconds until the next is allowed. A right answer is
     * followed by `forget`.
     */
    async attempt(
      accountKey: string,
      from: TriedFrom,
    ): Promise<{ readonly takeBack: () => Promise<unknown> } | { readonly seconds: number }> {
      const id = newId();
      await pool.query(
        `delete from operational.sign_in_failures
         where account_key = $1 and failed_at < now() - make_interval(mins => $2)`,
        [accountKey, STRANGERS.minutes],
      );
      await pool.query(
        `insert into operational.sign_in_failures
           (failure_id, account_key, address_key, is_known) values ($1, $2, $3, $4)`,
        [id, accountKey, keyOf(from), 'known' in from],
      );
      const seconds = await secondsToWait(accountKey, from);
      if (seconds === null) return { takeBack: () => takeBack(id) };
      // A refused attempt says nothing about the password, and extends no wait.
      await takeBack(id);
      return { seconds };
    },
    async forget(accountKey: string, from: TriedFrom): Promise<void> {
      await pool.query(
        'delete from operational.sign_in_failures where account_key = $1 and address_key = $2',
        [accountKey, keyOf(from)],
      );
    },
  };
}
