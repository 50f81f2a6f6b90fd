import { flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { RunnerConfig } from '@tallyhand/browser-runner/config';
import {
  type BrowserRunner,
  type RunnerParts,
  start as startBrowserRunner,
} from '@tallyhand/browser-runner/start';
import { getStatus, type Status } from '@tallyhand/contracts/features/status/status.endpoints';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { freePort } from '@tallyhand/service-kit/free-port';
import { pollUntil } from '@tallyhand/service-kit/poll-until';
import { testAuditKey, testDatabase, testEventStore, testKey } from '@tallyhand/test-kit/backends';
import { testLog } from '@tallyhand/test-kit/cases';
import {
  type Application,
  type ApplicationConfig,
  startApplication,
} from '../application/start.ts';
import { disturb, type Instances, startInstances } from './instances/instances.ts';

export type TestProduct = {
  readonly url: string;
  readonly config: ApplicationConfig;
  /** The address of internal calls. */
  readonly internalUrl: string;
  /** Null unless the test asked for one. */
  readonly runner: BrowserRunner | null;
  /** The metrics of all processes together. */
  metrics(): Promise<string>;
  /** Stops the application, does the work on the stored data, and starts it at the same address. */
  restart(whileStopped?: () => Promise<void>): Promise<void>;
};

/** A product of one test file alone, which ends it. */
export type OwnProduct = TestProduct & AsyncDisposable;

/** Whether tests run on many processes, one of which is always restarting. */
export const isManyProcesses = readEnvironment().TOPOLOGY === 'instances';

/** With its own browser and planner unless the test passes others. */
export type TestRunnerOptions = RunnerParts & { readonly settings?: Partial<RunnerConfig> };

let shared: Promise<TestProduct> | undefined;

/**
 * The product that test files share: one for each worker, which ends with it. Each test has a
 * separate organization. Tests that read or change more need a separate product.
 */
export async function sharedProduct(): Promise<TestProduct> {
  shared ??= startShared();
  const product = await shared;
  await waitUntilWell(product);
  return product;
}

async function startShared(): Promise<TestProduct> {
  const product = await startTestProduct({
    allowPrivateHosts: '127.0.0.1',
    modelCredits: { standard: 1, models: [{ model: 'dear-*', credits: 40 }] },
  });
  // Programs that tests start then find their modules compiled, also in the first run.
  flushCompileCache();
  return product;
}

/** An earlier file may have restarted the product, but not left what fails a check for good. */
async function waitUntilWell({ url }: TestProduct): Promise<void> {
  let checks: unknown;
  const isWell = async () => {
    const status = (await (await fetch(`${url}${getStatus.path}`)).json()) as Status;
    checks = status.checks;
    return status.status === 'ok' || null;
  };
  if (await pollUntil(isWell, { everyMs: 50, maxMs: 60_000 })) return;
  throw new Error(`An earlier test file left the shared product unwell: ${JSON.stringify(checks)}`);
}

/**
 * The whole product, real from end to end, on a new database and event store. `browser`:
 * with a browser runner in this process. With TOPOLOGY=instances it is many processes, where
 * settings can express the configuration.
 */
export async function startTestProduct(
  settings: Partial<ApplicationConfig> = {},
  { browser }: { readonly browser?: TestRunnerOptions } = {},
): Promise<OwnProduct> {
  await using opening = new AsyncDisposableStack();
  let runner: BrowserRunner | null = null;
  const base = opening.use(
    await testConfig({ runnerAddress: () => runner?.address ?? null, ...settings }),
  );
  if (isManyProcesses && !browser) {
    const instances = await startInstances(base);
    if (instances) return disturbedProduct(base, opening.use(instances), opening.move());
  }
  // At the same addresses after a restart, which no connection takes meanwhile.
  const config = { ...base, port: base.port || (await freePort()), internalPort: await freePort() };
  let application = await startApplication(config);
  opening.defer(() => application[Symbol.asyncDispose]());
  const { port, internalUrl } = application;
  if (browser) runner = opening.use(await startRunner(config, application, browser));
  const opened = opening.move();
  return {
    url: `http://127.0.0.1:${port}`,
    config: base,
    internalUrl,
    runner,
    metrics: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    async restart(whileStopped) {
      await application[Symbol.asyncDispose]();
      await whileStopped?.();
      application = await startApplication(config);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The configuration of a product on a new database and event store, until disposed of. */
export async function testConfig(
  settings: Partial<ApplicationConfig> = {},
): Promise<ApplicationConfig & AsyncDisposable> {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await testDatabase());
  const eventStore = opening.use(await testEventStore());
  const opened = opening.move();
  return {
    host: '127.0.0.1',
    port: 0,
    publicUrl: 'http://127.0.0.1',
    trustProxy: false,
    rateLimitScale: 1_000,
    // These passwords are not attacked: cheap hashing is enough.
    passwordCost: { memoryCost: 8, timeCost: 1 },
    databaseUrl: database.url,
    migrateDatabaseUrl: database.url,
    eventStoreUrl: eventStore.url,
    eventStoreReaderUrl: settings.eventStoreUrl ? undefined : eventStore.readerUrl,
    masterKey: testKey(),
    signingKey: testKey(),
    auditKey: testAuditKey(),
    model: {},
    webFolder: fileURLToPath(new URL('../../../web/dist/', import.meta.url)),
    internalToken: testKey(),
    log: testLog,
    ...settings,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The same product as many processes, one of which is always restarting. */
function disturbedProduct(
  config: ApplicationConfig,
  instances: Instances,
  opened: AsyncDisposableStack,
): OwnProduct {
  let disturbance = disturb(instances);
  opened.defer(() => disturbance[Symbol.asyncDispose]());
  const { url, internalUrl } = instances;
  return {
    url,
    config,
    internalUrl,
    runner: null,
    metrics: () => instances.metrics(),
    async restart(whileStopped) {
      await disturbance[Symbol.asyncDispose]();
      await instances.restart(whileStopped);
      disturbance = disturb(instances);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function startRunner(
  config: ApplicationConfig,
  { internalUrl, port }: Application,
  { settings, ...parts }: TestRunnerOptions,
): Promise<BrowserRunner> {
  const { publicUrl, model, allowPrivateHosts, internalToken = '', log } = config;
  return startBrowserRunner(
    {
      commandServiceUrl: internalUrl,
      internalToken,
      publicUrl,
      model,
      log,
      host: '127.0.0.1',
      port: 0,
      sessionsMax: 4,
      allowPrivateHosts,
      ownOrigins: [`http://127.0.0.1:${port}`],
      ...settings,
    },
    parts,
  );
}
