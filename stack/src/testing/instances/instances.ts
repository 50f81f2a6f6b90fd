import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { migrate } from '../../application/migrate.ts';
import type { ApplicationConfig } from '../../application/start.ts';
import { environmentOf } from './environment.ts';
import { type Kind, type ServiceProcess, serviceProcess } from './service-process.ts';
import { type Pool, poolOf, smallProxy } from './small-proxy.ts';

const OF_EACH: Readonly<Record<Kind, number>> = {
  'command-service': 2,
  worker: 2,
  projector: 2,
  'query-service': 2,
  web: 1,
};
const PAUSE_MS = 200;

export type Instances = AsyncDisposable & {
  /** Of the proxy in front of all. */
  readonly url: string;
  /** Where our own processes reach the command services. */
  readonly internalUrl: string;
  of(kind: Kind): readonly ServiceProcess[];
  /** What all that run now answer at /metrics. */
  metrics(): Promise<string>;
  /** All of them end, and start again after the work on what is stored. */
  restart(whileStopped?: () => Promise<void>): Promise<void>;
};

/**
 * The scaled deployment on one machine: two of each service in processes of their own. Null where
 * the configuration can't be told to another process. `own`: settings of one kind alone.
 */
export async function startInstances(
  config: ApplicationConfig,
  own: Partial<Record<Kind, Readonly<Record<string, string>>>> = {},
): Promise<Instances | null> {
  const told = environmentOf(config);
  if (!told) return null;
  await using opening = new AsyncDisposableStack();
  await migrate(config.migrateDatabaseUrl, config.masterKey);
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
  const internalUrl = `http://127.0.0.1:${internal.port}`;
  const env = { ...told, COMMAND_SERVICE_URL: internalUrl };
  const reader = told.EVENTSTORE_READER_URL;
  const all: ServiceProcess[] = [];
  for (const [kind, count] of Object.entries(OF_EACH) as [Kind, number][]) {
    const settings: Record<string, string> = { ...env, ...own[kind] };
    if (kind === 'projector' && reader) settings.EVENTSTORE_URL = reader;
    const alike = await Promise.all(
      Array.from({ length: count }, () => serviceProcess(kind, settings)),
    );
    for (const one of alike) opening.use(one);
    pools.set(kind, opening.use(poolOf(alike)));
    all.push(...alike);
  }
  const startAll = async () => {
    await Promise.all(all.map((one) => one.start()));
  };
  await startAll();
  const running = opening.move();
  return {
    url: `http://127.0.0.1:${proxy.port}`,
    internalUrl,
    of: (kind) => all.filter((one) => one.kind === kind),
    async metrics() {
      const texts = all.map(async ({ internalPort }) => {
        const answer = await fetch(`http://127.0.0.1:${internalPort}/metrics`);
        return answer.text();
      });
      const read = await Promise.allSettled(texts);
      return read.map((each) => (each.status === 'fulfilled' ? each.value : '')).join('');
    },
    async restart(whileStopped) {
      await Promise.all(all.map((one) => one.stop()));
      await whileStopped?.();
      await startAll();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/**
 * Ends one instance after the other and starts it again, until disposed of. Those that callers and
 * jobs stand on end well; projectors and query services are killed.
 */
export function disturb(instances: Instances): AsyncDisposable {
  const stopping = new AbortController();
  async function loop() {
    for (let number = 0; !stopping.signal.aborted; number += 1) {
      for (const kind of ['command-service', 'projector', 'worker', 'query-service'] as const) {
        const own = instances.of(kind);
        const one = own[number % own.length];
        if (kind === 'projector' || kind === 'query-service') await one?.kill();
        else await one?.stop();
        await one?.start();
        await wait(PAUSE_MS);
        if (stopping.signal.aborted) return;
      }
    }
  }
  const done = loop();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await done;
    },
  };
}

/** As the proxy of the scaled deployment does: reads and commands go separate ways. */
function kindFor({ method, url = '/' }: IncomingMessage): Kind {
  if (method !== 'GET' && method !== 'HEAD') return 'command-service';
  return url.startsWith('/api/') ? 'query-service' : 'web';
}
