import type { RequestListener } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { temporaryDisk, watchDisks } from './disk-space.ts';
import { readEnvironment } from './env.ts';
import { type HttpServer, hasDirectHost, listen } from './http/server.ts';
import { errorFields, jsonLog, type Log, type LogLevel, surviveClosedOutput } from './log.ts';
import {
  instrumentMetrics,
  METRICS_TYPE,
  type Metric,
  metricsText,
} from './metrics/instruments.ts';
import { processMetrics } from './metrics/process-metrics.ts';
import {
  needSettings,
  type SettingName,
  type Settings,
  SettingsError,
  StartRefusal,
} from './settings.ts';
import { startTracing, tracingOf } from './tracing/start-tracing.ts';

/** As long as a call that waits for a task may take, and a little. */
export const GRACE_MS = 130_000;
/** After a second signal: to store partial results, and to exit. */
const HURRIED_END_MS_MAX = 10_000;

/** The resources of a service's process while it runs. */
export type Service = AsyncDisposable & {
  /** At HOST and PORT; a worker has no public server. */
  readonly handle?: RequestListener;
  /** At INTERNAL_HOST and INTERNAL_PORT, beside health and metrics. */
  readonly handleInternal?: RequestListener;
  /** Rejects, or returns false, while it cannot work. */
  readonly isReady: () => Promise<boolean>;
  /** Its metrics beside those of the process and its requests. */
  readonly metrics?: () => Promise<readonly Metric[]>;
  /** Receives its addresses. */
  readonly onListening?: (server: HttpServer) => void;
};

export type ServiceStart = {
  readonly name: string;
  readonly needed: readonly SettingName[];
  readonly start: (settings: Settings, log: Log) => Promise<Service>;
};

/**
 * The lifecycle of a process with one service: settings, start, `ready` on standard output, and the
 * end at SIGTERM: for DRAIN_SECONDS it answers at /readyz that it is not ready any more, so that no
 * proxy sends it new calls, then running calls finish. A second signal cuts them off, as if their
 * callers had left, and everything ends in order within seconds.
 */
export async function runService({ name, needed, start }: ServiceStart): Promise<void> {
  surviveClosedOutput();
  try {
    const settings = needSettings(readEnvironment(), needed);
    const log = jsonLog(name, (settings.LOG_LEVEL ?? 'warn') as LogLevel);
    const running = await startProcess(settings, log, { name, start });
    process.stdout.write('ready\n');
    const stop = () => {
      if (running.isStopping()) return running.hurry();
      running.stop().then(
        () => process.exit(0),
        (error) => {
          log.error('the service did not stop cleanly', errorFields(error));
          process.exit(1);
        },
      );
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  } catch (error) {
    const isOurs = error instanceof SettingsError || error instanceof StartRefusal;
    process.stderr.write(`${isOurs ? error.message : (error as Error).stack}\n`);
    process.exit(1);
  }
}

async function startProcess(
  settings: Settings,
  log: Log,
  { name, start }: Pick<ServiceStart, 'name' | 'start'>,
) {
  await using opening = new AsyncDisposableStack();
  opening.use(await startTracing(tracingOf(settings), name, log));
  opening.use(await watchDisks(async () => [temporaryDisk()], log));
  const service = opening.use(await start(settings, log));
  let isDraining = false;
  const hurrying = new AbortController();
  const operations = operationsOf(service, () => isDraining);
  opening.defer(() => operations.close());
  const { INTERNAL_HOST = '127.0.0.1', INTERNAL_PORT = '0' } = settings;
  const port = Number(INTERNAL_PORT);
  const grace = { graceMs: GRACE_MS, hurry: hurrying.signal };
  opening.use(await listen(operations.handle, { port, host: INTERNAL_HOST, ...grace }));
  if (service.handle) {
    const { HOST = '127.0.0.1', PORT = '8080', DRAIN_SECONDS = '0' } = settings;
    const at = { port: Number(PORT), host: HOST, ...grace };
    const server = opening.use(await listen(service.handle, at));
    service.onListening?.(server);
    // Before the server closes, since the last that was opened is closed first.
    const draining = { signal: hurrying.signal };
    opening.defer(() => wait(Number(DRAIN_SECONDS) * 1_000, undefined, draining).catch(() => {}));
  }
  const opened = opening.move();
  return {
    stop() {
      isDraining = true;
      return opened.disposeAsync();
    },
    isStopping: () => isDraining,
    /** Work that does not finish even so is abandoned: the product recovers from that. */
    hurry() {
      hurrying.abort();
      setTimeout(() => process.exit(1), HURRIED_END_MS_MAX).unref();
    },
  };
}

/** Health and metrics for monitoring; the service itself serves the rest. */
function operationsOf(service: Service, isDraining: () => boolean) {
  const ofProcess = processMetrics();
  const isReady = async () => !isDraining() && (await service.isReady().catch(() => false));
  const handle: RequestListener = async (request, response) => {
    const path = request.url?.split('?')[0];
    if (request.method === 'GET' && path === '/healthz') {
      response.end('ok\n');
    } else if (request.method === 'GET' && path === '/readyz') {
      const ready = await isReady();
      response.statusCode = ready ? 200 : 503;
      response.end(ready ? 'ok\n' : 'not ready\n');
    } else if (request.method === 'GET' && path === '/metrics' && hasDirectHost(request)) {
      const own = (await service.metrics?.().catch(() => [])) ?? [];
      response.setHeader('content-type', METRICS_TYPE);
      response.end(metricsText([...own, ...instrumentMetrics(), ...ofProcess.metrics()]));
    } else if (service.handleInternal) {
      service.handleInternal(request, response);
    } else {
      response.statusCode = 404;
      response.end('Not found\n');
    }
  };
  return { handle, close: () => ofProcess.close() };
}
