import { fileURLToPath } from 'node:url';
import { jsonLog } from '@tallyhand/service-kit/log';
import { type ApplicationConfig, startApplication } from '../application/start.ts';
import { testDatabase, testEventStore, testKey } from './backends.ts';

export type TestProduct = AsyncDisposable & {
  readonly url: string;
  readonly config: ApplicationConfig;
  /** Ends the application, does the work on what is stored, and starts it at the same address. */
  restart(whileStopped?: () => Promise<void>): Promise<void>;
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
  let application = await startApplication(config);
  opening.defer(() => application[Symbol.asyncDispose]());
  const { port } = application;
  const opened = opening.move();
  return {
    url: `http://127.0.0.1:${port}`,
    config,
    async restart(whileStopped) {
      await application[Symbol.asyncDispose]();
      await whileStopped?.();
      application = await startApplication({ ...config, port });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
