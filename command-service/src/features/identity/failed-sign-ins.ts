import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';

const PLACE = { max: 5, minutes: 15 };
/** For all unknown devices together: guessing gets slower, and known devices are not locked out. */
const STRANGERS = { max: 20, minutes: 60 };

/** A browser that has signed in to this account before, by its mark; otherwise an IP address. */
export type TriedFrom = { readonly known: string } | { readonly address: string };

/** Seconds until the oldest attempt in the window expires; null while there is room. */
const WAITS = `select case when count(*) > $3 then greatest(1, ceil(extract(epoch from
    min(failed_at) + make_interval(mins => $4) - now()))::int) end as seconds
  from operational.sign_in_failures
  where account_key = $1 and failed_at > now() - make_interval(mins => $4)`;

/**
 * Counts wrong passwords and codes for each account and place. Those from unknown places also count
 * for the account as a whole, which never makes a known place wait.
 */
export class FailedSignIns {
  readonly #kit: Kit;

  constructor(kit: Kit) {
    this.#kit = kit;
  }

  /**
   * Counts an attempt before it is checked, so that parallel guesses gain nothing. Returns either a
   * function that uncounts it, or the seconds until the next attempt is allowed. Call `forget` after
   * a right answer.
   */
  async attempt(
    accountKey: string,
    from: TriedFrom,
  ): Promise<{ readonly takeBack: () => Promise<unknown> } | { readonly seconds: number }> {
    const { pool } = this.#kit;
    const id = newId();
    await pool.query(
      `delete from operational.sign_in_failures
       where account_key = $1 and failed_at < now() - make_interval(mins => $2)`,
      [accountKey, STRANGERS.minutes],
    );
    await pool.query(
      `insert into operational.sign_in_failures
         (failure_id, account_key, address_key, is_known) values ($1, $2, $3, $4)`,
      [id, accountKey, this.#keyOf(from), 'known' in from],
    );
    const takeBack = () =>
      pool.query('delete from operational.sign_in_failures where failure_id = $1', [id]);
    const seconds = await this.#secondsToWait(accountKey, from);
    if (seconds === null) return { takeBack };
    // A refused attempt says nothing about the password, and extends no wait.
    await takeBack();
    return { seconds };
  }

  async forget(accountKey: string, from: TriedFrom): Promise<void> {
    await this.#kit.pool.query(
      'delete from operational.sign_in_failures where account_key = $1 and address_key = $2',
      [accountKey, this.#keyOf(from)],
    );
  }

  async #secondsToWait(accountKey: string, from: TriedFrom): Promise<number | null> {
    const scale = Math.max(1, this.#kit.settings.rateLimitScale);
    const waits = async (condition: string, value: unknown, { max, minutes }: typeof PLACE) => {
      const { rows } = await this.#kit.pool.query<{ seconds: number | null }>(
        `${WAITS} and ${condition}`,
        [accountKey, value, max * scale, minutes],
      );
      return rows[0]?.seconds ?? null;
    };
    const seconds = await waits('address_key = $2', this.#keyOf(from), PLACE);
    if (seconds !== null || 'known' in from) return seconds;
    return waits('is_known = $2', false, STRANGERS);
  }

  #keyOf(from: TriedFrom): string {
    const { box } = this.#kit;
    return 'known' in from
      ? box.keyedHash('known-place', from.known)
      : box.keyedHash('source-address', from.address);
  }
}
