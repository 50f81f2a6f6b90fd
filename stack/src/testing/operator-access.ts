import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import type { TestProduct } from './product.ts';

/** What the operator's commands about events and projections work with. */
export function openOperatorAccess({ config }: TestProduct) {
  const { databaseUrl, masterKey, eventStoreUrl } = config;
  const pool = openPool(roleUrl(databaseUrl, masterKey, 'projector'), 1);
  const eventLog = openEventLog(eventStoreUrl);
  return {
    pool,
    eventLog,
    async [Symbol.asyncDispose]() {
      await eventLog.close();
      await pool.end();
    },
  };
}
