import type { IncomingMessage } from 'node:http';
import { migrate } from '../../application/migrate.ts';
import { testDatabase, testEventStore, testKey } from '../backends.ts';
import { type Kind, type ServiceProcess, serviceProcess } from './service-process.ts';
import { type Pool, poolOf, smallProxy } from './small-proxy.ts';

const OF_EACH: Readonly<Record<Kind, number>> = {
  'command-service': 2,
  worker: 2,
  projector: 2,
  'query-service': 2,
  web: 1,
};

export type Instances = AsyncDisposable & {
  /** Of the proxy in front of all. */
  readonly url: string;
  /** Where our own processes reach the command services. */
  readonly internalUrl: string;
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly all: readonly ServiceProcess[];
  of(kind: Kind): readonly ServiceProcess[];
};

export type InstancesOptions = {
  /** Settings of the processes, by their names in the environment. */
  readonly settings?: Readonly<Record<string, string>>;
};

/** The scaled deployment on one machine: two of each service in processes of their own. */
export async function startInstances({ settings = {} }: InstancesOptions = {}): Promise<Instances> {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await testDatabase());
  const eventStore = opening.use(await testEventStore());
  const masterKey = testKey();
  await migrate(database.url, masterKey);

  const pools = new Map<Kind, Pool>();
  const poolFor = (kind: Kind): Pool => {
    const pool = pools.get(kind);
    if (!pool) throw new Error(`There is no ${kind}`);
    return pool;
  };
  const proxy = opening.use(
    await smallProxy(
      (request) => poolFor(kindFor(request)),
      ({ port }) => port,
    ),
  );
  const internal = opening.use(
    await smallProxy(
      () => poolFor('command-service'),
      ({ internalPort }) => internalPort,
    ),
  );
  const url = `http://127.0.0.1:${proxy.port}`;
  const internalUrl = `http://127.0.0.1:${internal.port}`;
  const env = {
    ...{ PUBLIC_URL: url, TRUST_PROXY: '1', RATE_LIMIT_SCALE: '1000' },
    ...{ DATABASE_URL: database.url, EVENTSTORE_URL: eventStore.url },
    ...{ MASTER_KEY: masterKey, SIGNING_KEY: testKey(), INTERNAL_TOKEN: testKey() },
    COMMAND_SERVICE_URL: internalUrl,
    ...settings,
  };
  const all: ServiceProcess[] = [];
  for (const [kind, count] of Object.entries(OF_EACH) as [Kind, number][]) {
    const own = await Promise.all(Array.from({ length: count }, () => serviceProcess(kind, env)));
    for (const one of own) opening.use(one);
    pools.set(kind, opening.use(poolOf(own)));
    all.push(...own);
  }
  await Promise.all(all.map((one) => one.start()));
  const running = opening.move();
  return {
    ...{ url, internalUrl, all },
    ...{ databaseUrl: database.url, eventStoreUrl: eventStore.url },
    of: (kind) => all.filter((one) => one.kind === kind),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** As the proxy of the scaled deployment does: reads and commands go separate ways. */
function kindFor({ method, url = '/' }: IncomingMessage): Kind {
  if (method !== 'GET' && method !== 'HEAD') return 'command-service';
  return url.startsWith('/api/') ? 'query-service' : 'web';
}
