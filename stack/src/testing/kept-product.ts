import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestStore } from '@tallyhand/event-store/testing/test-store';
import { testAuditKey, testDatabase, testKey } from '@tallyhand/test-kit/backends';
import type { ApplicationConfig } from '../application/start.ts';
import { startTestProduct, type TestProduct } from './product.ts';

type Keys = Pick<
  ApplicationConfig,
  'databaseUrl' | 'migrateDatabaseUrl' | 'masterKey' | 'signingKey' | 'auditKey'
>;

export type KeptProduct = AsyncDisposable & {
  /** With the folder `event-store`, as a data folder has it. */
  readonly dataDir: string;
  readonly keys: Keys;
  readonly running: TestProduct;
  /** Stops the product and its event store; their data stays. */
  stop(): Promise<void>;
};

/** A product whose stores outlast it. */
export async function startKeptProduct(): Promise<KeptProduct> {
  await using opening = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'tallyhand-kept-'));
  opening.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));
  await chmod(dataDir, 0o755);
  const database = opening.use(await testDatabase());
  const databaseUrl = database.url;
  const keys: Keys = {
    databaseUrl,
    migrateDatabaseUrl: databaseUrl,
    masterKey: testKey(),
    signingKey: testKey(),
    auditKey: testAuditKey(),
  };
  const processes = opening.use(new AsyncDisposableStack());
  const eventStore = processes.use(await startTestStore(join(dataDir, 'event-store')));
  const settings = {
    ...keys,
    eventStoreUrl: eventStore.urlOf('writer'),
    eventStoreReaderUrl: eventStore.urlOf('reader'),
  };
  const running = processes.use(await startTestProduct(settings));
  const opened = opening.move();
  return {
    dataDir,
    keys,
    running,
    stop: () => processes.disposeAsync(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
