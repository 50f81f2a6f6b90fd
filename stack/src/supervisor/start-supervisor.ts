import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPortFree } from '@tallyhand/service-kit/free-port';
import { findProcess, signalProcess, waitUntilGone } from '../postgres/process-table.ts';
import { type Config, deriveConfig, WANT_BROWSER } from './config.ts';
import { lockDataFolder } from './data-folder-lock.ts';
import { type EventStoreUrls, namedEventStoreUrls } from './embedded-servers.ts';
import type { LogFile } from './log-file.ts';
import {
  applicationPart,
  browserRunnerPart,
  eventStorePart,
  type InternalPorts,
  keptInternalPorts,
  type Programs,
  postgresPart,
  type Surroundings,
} from './parts.ts';
import { ensureAuditKey, ensureSecrets } from './secrets.ts';
import {
  type OnDemand,
  onDemand,
  type Running,
  type Supervised,
  supervise,
  type Watcher,
} from './supervise.ts';

/** How long a port may stay taken after the leftovers of an earlier run were ended. */
const LEFTOVERS_PORT_MS = 3_000;

export type SupervisorOptions = {
  env: NodeJS.ProcessEnv;
  /** Where a relative DATA_DIR starts. */
  baseDir: string;
  programs: Programs;
  /** Receives the few lines for the operator at the terminal. */
  say(line: string): void;
  /** Aborted: stop all, also in the middle of starting. */
  stopping: AbortSignal;
};

export type Supervisor = {
  publicUrl: string;
  /** Ends the application and its browsers first, then the stores. */
  stop(): Promise<void>;
};

/**
 * Starts the event store and PostgreSQL, unless the settings name servers, then the application,
 * and keeps them running. Resolves when the product can be used. Throws, with nothing left running,
 * if the settings are wrong, the port or data folder is taken, or a part cannot start.
 */
export async function startSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const config = deriveConfig(options.env, options.baseDir);
  const lock = lockDataFolder(config.dataDir);
  const started: Started = { parts: [], logs: [], browserRunner: null };
  // From here on nothing is restarted.
  const ended = new AbortController();
  const stopping = AbortSignal.any([options.stopping, ended.signal]);
  async function stop(): Promise<void> {
    ended.abort();
    const [application, ...others] = started.parts.toReversed();
    await Promise.all([application?.stop(), started.browserRunner?.stop()]);
    await Promise.all(others.map((part) => part.stop()));
    for (const log of started.logs) log.close();
    lock.release();
  }
  try {
    const hadLeftovers = await endLeftovers(config.dataDir, options.say);
    await checkPort(config, hadLeftovers ? LEFTOVERS_PORT_MS : 0);
    const secrets = ensureSecrets(config.dataDir);
    if (!config.auditKey) ensureAuditKey(config.dataDir);
    const surroundings: Surroundings = {
      config,
      secrets,
      env: options.env,
      programs: options.programs,
      noteProcess: createProcessList(config.dataDir).note,
    };
    await startAll(surroundings, { ...options, stopping }, started);
    return { publicUrl: config.publicUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Started = {
  /** In the order of their start; the application is the last. */
  readonly parts: Supervised<Running>[];
  readonly logs: LogFile[];
  browserRunner: OnDemand | null;
};

async function startAll(
  surroundings: Surroundings,
  { say, stopping }: SupervisorOptions,
  started: Started,
): Promise<void> {
  const { config } = surroundings;
  const watcher = watcherOf(say);
  async function run<R extends Running>({
    part,
    log,
  }: {
    part: Parameters<typeof supervise<R>>[0];
    log: LogFile;
  }): Promise<R> {
    started.logs.push(log);
    try {
      stopping.throwIfAborted();
      const supervised = await supervise(part, watcher, stopping);
      started.parts.push(supervised);
      return supervised.first;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The ${part.name} did not start: ${reason}\nIts log is ${log.path}`);
    }
  }
  async function eventStore(): Promise<EventStoreUrls> {
    const named = namedEventStoreUrls(config);
    if (named) return named;
    const { urls, ...rest } = await eventStorePart(surroundings);
    await run(rest);
    return urls;
  }
  async function postgres(): Promise<string> {
    if (config.databaseUrl) return config.databaseUrl;
    return (await run(postgresPart(surroundings, say))).databaseUrl;
  }
  // Waits for both even if one fails, so that the other can be stopped.
  const [first, second] = await Promise.allSettled([eventStore(), postgres()]);
  if (first.status === 'rejected') throw first.reason;
  if (second.status === 'rejected') throw second.reason;
  const internalPorts = await keptInternalPorts(config);
  const addresses = { eventStore: first.value, databaseUrl: second.value, internalPorts };
  const browserRunner = browserRunnerOnDemand(surroundings, internalPorts, started, say, stopping);
  await run(
    applicationPart(surroundings, addresses, (message) => {
      if (message === WANT_BROWSER) browserRunner.want();
    }),
  );
}

/** A browser is rarely needed: its process starts with the first session. */
function browserRunnerOnDemand(
  surroundings: Surroundings,
  ports: InternalPorts,
  started: Started,
  say: (line: string) => void,
  stopping: AbortSignal,
): OnDemand {
  const { part, log } = browserRunnerPart(surroundings, ports);
  started.logs.push(log);
  const tell = (reason: string) => say(`The ${part.name} did not start: ${reason}`);
  started.browserRunner = onDemand(part, watcherOf(say), stopping, tell);
  return started.browserRunner;
}

/** `patienceMs`: a process that has just ended may hold its port a moment longer than its name. */
async function checkPort({ port, host }: Config, patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  let isFree = await canListen(port, host);
  while (!isFree && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    isFree = await canListen(port, host);
  }
  if (isFree) return;
  const other = port < 65_535 ? port + 1 : 8080;
  throw new Error(
    `Port ${port} is in use by another program. ` +
      `Set PORT to another one, for example PORT=${other} npm start.`,
  );
}

function canListen(port: number, host: string): Promise<boolean> {
  return isPortFree(port, host).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES') {
      throw new Error(`Port ${port} needs special rights. Set PORT to one above 1023.`);
    }
    throw new Error(`HOST ${host} is not an address of this machine (${error.code}).`);
  });
}

function watcherOf(say: (line: string) => void): Watcher {
  return {
    ended: (name, reason, waitMs) =>
      say(`The ${name} stopped (${reason}); it starts again in ${waitMs / 1000} s.`),
    recovered: (name) => say(`The ${name} runs again.`),
  };
}

type Entry = { name: string; pid: number; startMark: string };

/** Keeps the list of child processes in the data folder, for the next start to clean up. */
function createProcessList(dataDir: string) {
  const file = join(dataDir, 'processes.json');
  const entries = new Map<string, Entry>();
  return {
    note(name: string, pid: number): void {
      const startMark = findProcess(pid)?.startMark;
      if (startMark === undefined) return;
      entries.set(name, { name, pid, startMark });
      writeFileSync(`${file}.new`, JSON.stringify([...entries.values()]));
      renameSync(`${file}.new`, file);
    },
  };
}

/**
 * Ends the leftovers of an earlier, killed run. Its children exit on their own, so they get some
 * seconds before SIGKILL. The caller holds the lock of the data folder. True if there was something
 * to end.
 */
async function endLeftovers(dataDir: string, log: (line: string) => void): Promise<boolean> {
  let found = false;
  for (const { name, pid, startMark } of readEntries(join(dataDir, 'processes.json'))) {
    // The number may belong to another program by now.
    if (findProcess(pid)?.startMark !== startMark) continue;
    found = true;
    if (await waitUntilGone(pid, 3000)) continue;
    log(`ending the ${name} that an earlier run left behind (process ${pid})`);
    signalProcess(pid, 'SIGKILL');
    await waitUntilGone(pid, 5000);
  }
  return found;
}

function readEntries(file: string): Entry[] {
  if (!existsSync(file)) return [];
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
}
