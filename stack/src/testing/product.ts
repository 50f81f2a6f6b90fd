import { fileURLToPath } from 'node:url';
import { jsonLog } from '@tallyhand/service-kit/log';
import { type ApplicationConfig, startApplication } from '../application/start.ts';
import { testDatabase, testEventStore, testKey } from './backends.ts';

export type TestProduct = AsyncDisposable & {
  readonly url: string;
  readonly config: ApplicationConfig;
};

/** The whole product, real from end to end, on a database and an event store of its own. */
export async function startTestProduct(
  settings: Partial<ApplicationConfig> = {},
): Promise<TestProduct> {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await testDatabase());
  const eventStore = opening.use(await testEventStore());
  const config: ApplicationConfig = {
    host: '127.0.0.1',
    port: 0,
    publicUrl: 'http://127.0.0.1',
    trustProxy: false,
    rateLimitScale: 1_000,
    databaseUrl: database.url,
    migrateDatabaseUrl: database.url,
    eventStoreUrl: eventStore.url,
    masterKey: testKey(),
    signingKey: testKey(),
    model: {},
    webFolder: fileURLToPath(new URL('../../../web/dist/', import.meta.url)),
    log: jsonLog('test', 'error'),
    ...settings,
  };
  const application = opening.use(await startApplication(config));
  const opened = opening.move();
  return {
    url: `http://127.0.0.1:${application.port}`,
    config,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
