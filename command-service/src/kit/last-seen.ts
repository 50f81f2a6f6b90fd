import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { SEEN_EVERY_MS, throttle } from '@tallyhand/service-kit/throttle';
import type pg from 'pg';
import { Batcher } from './batcher.ts';

type Seen = { readonly signInId: string; readonly at: Date };

export type LastSeen = {
  /** The sign-in was used. Returns at once, and never throws. */
  note(signInId: string): void;
  /** The same, reported by another process. */
  add(seen: Seen): void;
};

/** Records when sign-ins were used: an unused one ends. */
export function lastSeenOf(pool: pg.Pool, log: Log): LastSeen {
  const writes = new Batcher((seen: readonly Seen[]) =>
    // Ended sign-ins stay ended, and the time is never in the future.
    pool.query(
      `update operational.sign_ins s
       set last_seen_at = greatest(s.last_seen_at, least(seen.at, now()))
       from (select id, max(at) as at from unnest($1::uuid[], $2::timestamptz[]) t (id, at)
         group by id) seen, operational.authenticate(seen.id)
       where s.sign_in_id = seen.id`,
      [seen.map(({ signInId }) => signInId), seen.map(({ at }) => at)],
    ),
  );
  const add = (seen: Seen) => {
    writes.add(seen).catch((error) => log.warn('last-seen was not recorded', errorFields(error)));
  };
  return { add, note: throttle(SEEN_EVERY_MS, (signInId, at) => add({ signInId, at })) };
}
