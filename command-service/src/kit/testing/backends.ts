import { randomUUID } from 'node:crypto';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { migrate } from '@tallyhand/stack/application/migrate';
import { testAuditKey, testDatabase, testEventStore, testKey } from '@tallyhand/test-kit/backends';
import { testLog } from '@tallyhand/test-kit/cases';
import type pg from 'pg';
import { type OpenedKit, openKit, type ServiceConfig } from '../../app/open-kit.ts';
import type { CommandContext } from '../context.ts';

export type TestKit = AsyncDisposable & {
  readonly opened: OpenedKit;
  readonly config: ServiceConfig;
  /** The superuser's, which sees all tables as a thief of the disk would. */
  readonly admin: pg.Pool;
};

/** The command service's kit on a migrated database and an event store of its own. */
export async function openTestKit(settings: Partial<ServiceConfig> = {}): Promise<TestKit> {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await testDatabase());
  const eventStore = opening.use(await testEventStore());
  const config: ServiceConfig = {
    publicUrl: 'http://127.0.0.1',
    trustProxy: false,
    rateLimitScale: 1,
    databaseUrl: database.url,
    eventStoreUrl: eventStore.url,
    masterKey: testKey(),
    signingKey: testKey(),
    auditKey: testAuditKey(),
    log: testLog,
    ...settings,
  };
  await migrate(database.url, config.masterKey);
  const admin = opening.adopt(openPool(database.url, 2), (pool) => pool.end());
  const opened = opening.use(await openKit(config));
  const all = opening.move();
  return { opened, config, admin, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** The context of a call that is not repeated. */
export const testContext = (): CommandContext => ({
  organizationId: null,
  actor: { kind: 'worker' },
  commandId: newId(),
  correlationId: randomUUID(),
  causationId: null,
  now: new Date(),
});
