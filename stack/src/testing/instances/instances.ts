import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { isMcpPath } from '@tallyhand/contracts/features/mcp/mcp-paths';
import { isCallPath } from '@tallyhand/contracts/web-paths';
import { type HttpServer, listen } from '@tallyhand/service-kit/http/server';
import { migrate } from '../../application/migrate.ts';
import type { ApplicationConfig } from '../../application/start.ts';
import {
  environmentOf,
  type Kind,
  type ServiceProcess,
  serviceProcess,
} from './service-process.ts';

const KINDS = ['command-service', 'worker', 'projector', 'query-service', 'web'] as const;
const PAUSE_MS = 200;

export type Instances = AsyncDisposable & {
  /** Of the proxy in front of all. */
  readonly url: string;
  /** The address of internal calls of the command services. */
  readonly internalUrl: string;
  of(kind: Kind): readonly ServiceProcess[];
  /** The metrics of all running processes. */
  metrics(): Promise<string>;
  /** Stops all, does the work on the stored data, and starts them again. */
  restart(whileStopped?: () => Promise<void>): Promise<void>;
};

/**
 * The scaled deployment on one machine: two of each service, or `ofEach`, in separate processes, and
 * one web. Null where settings can't express the configuration. `lookMs`: how often the proxy looks
 * which of them are ready.
 */
export async function startInstances(
  config: ApplicationConfig,
  { ofEach = 2, lookMs = LOOK_MS } = {},
): Promise<Instances | null> {
  const settings = environmentOf(config);
  if (!settings) return null;
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
  const env = {
    ...settings,
    COMMAND_SERVICE_URL: internalUrl,
    QUERY_SERVICE_URL: `http://127.0.0.1:${proxy.port}`,
  };
  const reader = settings.EVENTSTORE_READER_URL;
  const all: ServiceProcess[] = [];
  for (const kind of KINDS) {
    const settings: Record<string, string> = { ...env };
    if (kind === 'projector' && reader) settings.EVENTSTORE_URL = reader;
    const alike = await Promise.all(
      Array.from({ length: kind === 'web' ? 1 : ofEach }, () => serviceProcess(kind, settings)),
    );
    for (const one of alike) opening.use(one);
    pools.set(kind, opening.use(poolOf(alike, lookMs)));
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
 * Stops and restarts one instance after the other, until disposed of. Instances with calls and jobs
 * are stopped; projectors and query services are killed.
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

/** Like the proxy of the scaled deployment: routes reads and commands separately. */
function kindFor({ method, url = '/' }: IncomingMessage): Kind {
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || isMcpPath(url)) return 'command-service';
  return isCallPath(url) ? 'query-service' : 'web';
}

const LOOK_MS = 50;
/** How long a call waits for a ready instance. */
const PATIENCE_MS = 180_000;
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** No instance has received anything of the call. */
const NOT_SENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND']);

/** Instances of one service, of which those receive calls that are ready. */
type Pool = AsyncDisposable & {
  /** The ports of the next ready instance; waits while there is none. */
  next(): Promise<Pick<ServiceProcess, 'port' | 'internalPort'>>;
};

function poolOf(instances: readonly ServiceProcess[], lookMs: number): Pool {
  const ready = new Set<ServiceProcess>();
  const ended = new AbortController();
  let turn = 0;
  async function look(instance: ServiceProcess) {
    const { ok } = await fetch(`http://127.0.0.1:${instance.internalPort}/readyz`, {
      signal: AbortSignal.timeout(2_000),
    }).catch(() => ({ ok: false }));
    if (ok) ready.add(instance);
    else ready.delete(instance);
  }
  const looking = Promise.all(
    instances.map(async (instance) => {
      while (!ended.signal.aborted) {
        await look(instance);
        await wait(lookMs);
      }
    }),
  );
  return {
    async next() {
      const deadline = performance.now() + PATIENCE_MS;
      while (ready.size === 0 && performance.now() < deadline) await wait(LOOK_MS);
      const choice = [...ready];
      turn += 1;
      const chosen = choice[turn % choice.length];
      if (!chosen) throw new Error(`No ${instances[0]?.kind} is ready`);
      return chosen;
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await looking;
    },
  };
}

/**
 * A reverse proxy in front of several instances: calls go to the next one, and to another one if it
 * did not accept the call, or if the call is a read. Otherwise the answer is 502.
 */
async function smallProxy(
  poolFor: (request: IncomingMessage) => Pool,
  portOf: (instance: Pick<ServiceProcess, 'port' | 'internalPort'>) => number,
): Promise<HttpServer> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request).catch(() => null);
    const pool = poolFor(request);
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        await pass(request, body ?? Buffer.alloc(0), response, portOf(await pool.next()));
        return;
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        const mayRepeat = NOT_SENT.has(code) || SAFE.has(request.method ?? '');
        if (response.headersSent || response.destroyed) return response.destroy();
        if (!mayRepeat || performance.now() > deadline) {
          response.statusCode = 502;
          return response.end(`${code} ${(error as Error).message}`);
        }
        await wait(LOOK_MS);
      }
    }
  };
  return listen((request, response) => void handle(request, response), {
    host: '127.0.0.1',
    port: 0,
  });
}

/** Rejects while nothing of the answer was passed on, and when the answer broke off. */
function pass(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  port: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = send(
      { host: '127.0.0.1', port, method, path: url, headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        answer.once('error', reject);
        answer.once('close', () =>
          answer.complete ? resolve() : reject(new Error('The answer broke off')),
        );
      },
    );
    call.once('error', reject);
    const left = () => call.destroy();
    response.once('close', left);
    call.once('close', () => response.off('close', left));
    call.end(body);
  });
}
