import type { PersonKeys } from '@tallyhand/service-kit/crypto/person-keys';
import type { Log } from '@tallyhand/service-kit/log';
import { type Listener, listen } from '@tallyhand/service-kit/postgres/listener';
import type { Kit } from './app.ts';

/** Notifies processes that cache keys of the destroyed ones: ids, as JSON. */
export const ERASED_CHANNEL = 'erased_persons';

/**
 * Destroys keys of people, or of messages from people without an account: nothing encrypted with
 * them can be read any more, and no mail about them is sent. Can be repeated.
 */
export async function destroyKeys(
  { pool, personKeys }: Pick<Kit, 'pool' | 'personKeys'>,
  keys: readonly string[],
): Promise<void> {
  await pool.query('delete from operational.outgoing_mail where about_id = any($1)', [keys]);
  await pool.query('update operational.person_keys set sealed = null where person_id = any($1)', [
    keys,
  ]);
  personKeys.forget(keys);
  await pool.query('select pg_notify($1, $2)', [ERASED_CHANNEL, JSON.stringify(keys)]);
}

/** Removes keys from the cache that another process has destroyed. */
export const listenForErasures = (url: string, keys: PersonKeys, log: Log): Promise<Listener> =>
  listen({
    url,
    log,
    channels: [ERASED_CHANNEL],
    onNotification: (_, payload) => keys.forget(JSON.parse(payload) as string[]),
    // Catches up on what was missed while the listener was down.
    onConnect: async () => keys.clearCache(),
  });
