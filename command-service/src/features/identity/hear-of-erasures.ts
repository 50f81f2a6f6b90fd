import type { PersonKeys } from '@tallyhand/service-kit/crypto/person-keys';
import type { Log } from '@tallyhand/service-kit/log';
import { type Listener, listen } from '@tallyhand/service-kit/postgres/listener';
import { ERASED_CHANNEL } from '../../kit/destroy-keys.ts';

/** Keys that another process destroyed are forgotten here too. */
export const hearOfErasures = (url: string, keys: PersonKeys, log: Log): Promise<Listener> =>
  listen({
    url,
    log,
    channels: [ERASED_CHANNEL],
    onNotification: (_, payload) => keys.forget(JSON.parse(payload) as string[]),
    // Catches up on what was missed while the listener was down.
    onConnect: async () => keys.lookAnew(),
  });
