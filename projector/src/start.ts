import { PROJECTOR_LOCK } from '@tallyhand/read-models/kernel/operating';
import type { ReadModelTables } from '@tallyhand/read-models/read-models';
import { personKeys } from '@tallyhand/service-kit/crypto/person-keys';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { refuseOtherStore } from '@tallyhand/service-kit/event-store/known-store';
import type { Log } from '@tallyhand/service-kit/log';
import { whileActive } from '@tallyhand/service-kit/postgres/active-lock';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { Kysely, PostgresDialect } from 'kysely';
import { projections } from './app/projections.ts';
import { PipelinedClient } from './kernel/pipelined-client.ts';
import { runProjections } from './kernel/runner.ts';
import { transactOn } from './kernel/transact.ts';

/** Up to five for rebuilds, and one each for the live rows, keys and the heartbeat. */
const CONNECTIONS_MAX = 8;

export type ProjectorConfig = {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly masterKey: string;
  readonly log: Log;
};

export type Projector = AsyncDisposable & {
  /** Whether the database answers, as active or standby projector. */
  isReady(): Promise<boolean>;
};

/** Keeps the read models up to date. One projector is active, the others are on standby. */
export async function start(config: ProjectorConfig): Promise<Projector> {
  const { databaseUrl, eventStoreUrl, masterKey, log } = config;
  const url = roleUrl(databaseUrl, masterKey, 'projector');
  const pool = openPool(url, CONNECTIONS_MAX, PipelinedClient);
  const db = new Kysely<ReadModelTables>({ dialect: new PostgresDialect({ pool }) });
  const eventLog = openEventLog(eventStoreUrl);
  const active = whileActive({
    url,
    lock: PROJECTOR_LOCK,
    name: 'projector',
    log,
    async run() {
      await refuseOtherStore({ pool, eventLog });
      return runProjections({
        db,
        transact: transactOn(pool),
        eventLog,
        log,
        projections,
        personKeys: personKeys(pool, sealedBox(masterKey)),
      });
    },
  });
  return {
    isReady: async () => (await pool.query('select')).rowCount === 1,
    async [Symbol.asyncDispose]() {
      await active[Symbol.asyncDispose]();
      await db.destroy();
      await eventLog.close();
    },
  };
}
