import { type ChildProcess, spawn } from 'node:child_process';
import { get } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { passwordSettings } from '@tallyhand/event-store/env';
import { reachable, settingNames } from '@tallyhand/service-kit/settings';
import { keptPort } from '../postgres/kept-port.ts';
import { type RunningPostgres, startPostgres } from '../postgres/start-postgres.ts';
import type { Config } from './config.ts';
import {
  type EventStoreUrls,
  embeddedEventStoreUrls,
  ensureDatabase,
  eventStoreDir,
  eventStoreUsers,
} from './embedded-servers.ts';
import { type LogFile, openLogFile } from './log-file.ts';
import { auditKeyFile, type Secrets } from './secrets.ts';
import type { Part, Running } from './supervise.ts';

/** Paths of the programs that run in separate processes. */
export type Programs = { eventStore: string; application: string; browserRunner: string };

/** Shared by all parts. */
export type Surroundings = {
  config: Config;
  secrets: Secrets;
  env: NodeJS.ProcessEnv;
  programs: Programs;
  noteProcess(name: string, pid: number): void;
};

const readyTimeoutMs = 60_000;

/** The addresses that the other parts give to the application. */
export type Addresses = {
  eventStore: EventStoreUrls;
  databaseUrl: string;
  /** The ports of the application's internal calls and of the browser runner. */
  internalPorts: InternalPorts;
};

export type InternalPorts = { application: number; browserRunner: number };

/** The same over restarts, as long as no other program has them. */
export async function keptInternalPorts({ dataDir, port }: Config): Promise<InternalPorts> {
  const application = await keptPort(join(dataDir, 'application.port'), [port]);
  const taken = [port, application];
  const browserRunner = await keptPort(join(dataDir, 'browser-runner.port'), taken);
  return { application, browserRunner };
}

export async function eventStorePart(surroundings: Surroundings) {
  const { config, env, programs, noteProcess } = surroundings;
  const masterKey = masterKeyOf(surroundings);
  const port = await keptPort(join(config.dataDir, 'event-store.port'));
  const log = openLogFile(config.dataDir, 'event-store');
  const part: Part = {
    name: 'event store',
    start: (stopping) =>
      startNodeChild(
        {
          script: programs.eventStore,
          // Its data is in SQLite; a small heap keeps garbage from piling up.
          nodeFlags: ['--max-semi-space-size=4', '--max-old-space-size=256'],
          args: ['--port', String(port), '--data', eventStoreDir(config.dataDir)],
          env: { ...withoutSettings(env), ...passwordSettings(eventStoreUsers(masterKey)) },
          log,
          isReady: (line) => line.startsWith('event store listening on '),
          readyTimeoutMs,
          stopTimeoutMs: 2000,
          onSpawn: (pid) => noteProcess('event store', pid),
        },
        stopping,
      ),
  };
  return { part, log, urls: embeddedEventStoreUrls(config.dataDir, port, masterKey) };
}

const masterKeyOf = ({ config, secrets }: Surroundings) => config.masterKey ?? secrets.masterKey;

/** `say` receives the launcher's messages for the operator. */
export function postgresPart({ config, secrets }: Surroundings, say: (line: string) => void) {
  const log = openLogFile(config.dataDir, 'postgres');
  // The application keeps the address, so a restart must use the same port.
  let port: number | undefined;
  const part: Part<RunningPostgres & { databaseUrl: string }> = {
    name: 'database',
    async start() {
      const server = await startPostgres({
        dataDir: join(config.dataDir, 'postgres'),
        password: secrets.postgresPassword,
        port,
        log: (line) => {
          log.write(`${line}\n`);
          if (port === undefined && line.startsWith('PostgreSQL can')) say(line);
        },
      });
      port = server.port;
      return { ...server, databaseUrl: await ensureDatabase(server.url) };
    },
  };
  return { part, log };
}

/** `onMessage` receives messages on its channel. */
export function applicationPart(
  surroundings: Surroundings,
  addresses: Addresses,
  onMessage: (message: unknown) => void,
) {
  const { config, programs, noteProcess } = surroundings;
  const log = openLogFile(config.dataDir, 'application');
  const part: Part = {
    name: 'application',
    async start(stopping) {
      const running = await startNodeChild(
        {
          script: programs.application,
          args: [],
          env: applicationEnvironment(surroundings, addresses),
          log,
          isReady: (line) => line.trim() === 'ready',
          readyTimeoutMs,
          stopTimeoutMs: 2000,
          onSpawn: (pid) => noteProcess('application', pid),
          onMessage,
        },
        stopping,
      );
      await answers(running, config, log, stopping);
      return running;
    },
  };
  return { part, log };
}

function applicationEnvironment(
  surroundings: Surroundings,
  { eventStore, databaseUrl, internalPorts }: Addresses,
): NodeJS.ProcessEnv {
  const { config, secrets, env } = surroundings;
  return {
    ...withoutSettings(env),
    ...config.settings,
    PORT: String(config.port),
    HOST: config.host,
    DATA_DIR: config.dataDir,
    PUBLIC_URL: config.publicUrl,
    EVENTSTORE_URL: eventStore.eventStoreUrl,
    EVENTSTORE_READER_URL: eventStore.eventStoreReaderUrl,
    DATABASE_URL: databaseUrl,
    MASTER_KEY: masterKeyOf(surroundings),
    SIGNING_KEY: config.signingKey ?? secrets.signingKey,
    INTERNAL_TOKEN: config.internalToken ?? secrets.internalToken,
    ...(config.auditKey ? {} : { AUDIT_KEY_FILE: auditKeyFile(config.dataDir) }),
    INTERNAL_PORT: String(internalPorts.application),
    BROWSER_RUNNER_URL: loopback(internalPorts.browserRunner),
  };
}

/** Each process gets the settings that it needs, by name; those of files as their contents. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = new Set<string>(settingNames.flatMap((name) => [name, `${name}_FILE`]));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

const loopback = (port: number) => `http://127.0.0.1:${port}`;

export function browserRunnerPart(surroundings: Surroundings, ports: InternalPorts) {
  const { config, programs, noteProcess } = surroundings;
  const log = openLogFile(config.dataDir, 'browser-runner');
  const part: Part = {
    name: 'browser runner',
    start: (stopping) =>
      startNodeChild(
        {
          script: programs.browserRunner,
          args: [],
          env: browserRunnerEnvironment(surroundings, ports),
          log,
          isReady: (line) => line.trim() === 'ready',
          readyTimeoutMs,
          stopTimeoutMs: 2000,
          onSpawn: (pid) => noteProcess('browser runner', pid),
        },
        stopping,
      ),
  };
  return { part, log };
}

/**
 * Its settings, by name: it opens untrusted pages, so it gets no keys and no database addresses.
 */
const RUNNER_SETTINGS = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'LOG_LEVEL',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'OPENAI_MODEL',
  'ALLOW_PRIVATE_HOSTS',
  'CHROMIUM_PATH',
  'BROWSER_SESSIONS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_TRACES_SAMPLER_ARG',
];

function browserRunnerEnvironment(
  { config, secrets, env }: Surroundings,
  ports: InternalPorts,
): NodeJS.ProcessEnv {
  const { host, port, publicUrl, internalToken } = config;
  const given: NodeJS.ProcessEnv = { ...env, ...config.settings };
  return {
    ...Object.fromEntries(RUNNER_SETTINGS.map((name) => [name, given[name]])),
    HOST: '127.0.0.1',
    PORT: String(ports.browserRunner),
    PUBLIC_URL: publicUrl,
    COMMAND_SERVICE_URL: loopback(ports.application),
    INTERNAL_TOKEN: internalToken ?? secrets.internalToken,
    OWN_ORIGINS: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
  };
}

/** Resolves when /readyz answers 200; ends the application and throws if it never does. */
async function answers(
  running: Running,
  { host, port }: Config,
  log: LogFile,
  stopping: AbortSignal,
): Promise<void> {
  const url = `http://${reachable(host).replace('localhost', '127.0.0.1')}:${port}/readyz`;
  let hasEnded = false;
  running.exited.then(() => {
    hasEnded = true;
  });
  const deadline = performance.now() + readyTimeoutMs;
  while (!hasEnded && !stopping.aborted && performance.now() < deadline) {
    if ((await statusOf(url)) === 200) return;
    await wait(50);
  }
  await running.stop();
  throw new Error(`it said that it is ready, but ${url} does not answer; see ${log.path}`);
}

function statusOf(url: string): Promise<number> {
  return new Promise((done) => {
    const request = get(url, { agent: false, timeout: 2000 }, (response) => {
      response.resume();
      done(response.statusCode ?? 0);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => done(0));
  });
}

type NodeChildOptions = {
  /** Path of a JavaScript or TypeScript program, and its arguments. */
  script: string;
  args: string[];
  /** Flags of Node itself. */
  nodeFlags?: string[];
  env: NodeJS.ProcessEnv;
  /** Receives the program's output. */
  log: LogFile;
  /**
   * Whether a line of its standard output, or a message on its channel, reports that it is ready.
   */
  isReady: (line: string) => boolean;
  readyTimeoutMs: number;
  /** How long it may take to end after SIGTERM, before SIGKILL. */
  stopTimeoutMs: number;
  onSpawn: (pid: number) => void;
  /** Receives the program's messages on its channel. */
  onMessage?: (message: unknown) => void;
};

const guard = new URL('./child.ts', import.meta.url).href;

/** Runs a program with the same Node and resolves when it is ready. */
async function startNodeChild(options: NodeChildOptions, stopping: AbortSignal): Promise<Running> {
  const flags = [
    '--disable-warning=ExperimentalWarning',
    ...(options.nodeFlags ?? []),
    '--import',
    guard,
  ];
  const child = spawn(process.execPath, [...flags, options.script, ...options.args], {
    // Arenas for every thread cost memory, and gain nothing with so few threads.
    env: { MALLOC_ARENA_MAX: '2', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A separate process group: Ctrl-C in a terminal reaches only the supervisor, which stops the
    // parts in order.
    detached: true,
  });
  child.stdout?.on('data', (chunk) => options.log.write(chunk));
  child.stderr?.on('data', (chunk) => options.log.write(chunk));
  const exited = new Promise<number | null>((done) => {
    child.once('error', (error) => {
      options.log.write(`${error.message}\n`);
      done(null);
    });
    child.once('close', (code) => done(code));
  });
  if (options.onMessage) child.on('message', options.onMessage);
  if (child.pid) options.onSpawn(child.pid);
  const running = { pid: child.pid ?? 0, exited, stop: () => stop(child, exited, options) };
  const fault = await waitUntilReady(child, exited, options, stopping);
  if (!fault) return running;
  await running.stop();
  throw new Error(fault);
}

/** Returns undefined when it is ready, otherwise what happened instead. */
function waitUntilReady(
  child: ChildProcess,
  exited: Promise<number | null>,
  { isReady, readyTimeoutMs, log }: NodeChildOptions,
  stopping: AbortSignal,
): Promise<string | undefined> {
  return new Promise((done) => {
    const lines = child.stdout && createInterface({ input: child.stdout });
    const timer = setTimeout(
      () => finish(`it was not ready after ${readyTimeoutMs / 1000} s`),
      readyTimeoutMs,
    );
    const onAbort = () => finish('it was stopped');
    const onMessage = (message: unknown) => onLine(String(message));
    function onLine(line: string): void {
      if (isReady(line)) finish(undefined);
    }
    function finish(fault: string | undefined): void {
      clearTimeout(timer);
      // The stream flows on into the log; only the reading by lines ends here.
      lines?.close();
      child.stdout?.resume();
      child.off('message', onMessage);
      stopping.removeEventListener('abort', onAbort);
      done(fault);
    }
    lines?.on('line', onLine);
    child.on('message', onMessage);
    stopping.addEventListener('abort', onAbort);
    if (stopping.aborted) onAbort();
    exited.then((code) => finish(`it ended with code ${code}${lastWords(log)}`));
  });
}

function lastWords(log: LogFile): string {
  const tail = log.tail();
  return tail && `:\n${tail.replace(/^/gm, '  ')}`;
}

async function stop(
  child: ChildProcess,
  exited: Promise<number | null>,
  { stopTimeoutMs }: NodeChildOptions,
): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await exited;
  clearTimeout(timer);
}
