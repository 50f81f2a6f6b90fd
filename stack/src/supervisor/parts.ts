import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { keptPort } from '../postgres/kept-port.ts';
import { type RunningPostgres, startPostgres } from '../postgres/start-postgres.ts';
import { type Config, reachable } from './config.ts';
import { ensureDatabase } from './ensure-database.ts';
import { type LogFile, openLogFile } from './log-file.ts';
import { startNodeChild } from './node-child.ts';
import type { Secrets } from './secrets.ts';
import type { Part, Running } from './supervise.ts';

/** What all parts share. */
export type Surroundings = {
  config: Config;
  secrets: Secrets;
  env: NodeJS.ProcessEnv;
  /** Paths of the programs that run in processes of their own. */
  programs: { eventStore: string; application: string };
  noteProcess(name: string, pid: number): void;
};

const readyTimeoutMs = 60_000;

/** The addresses that the other parts give to the application. */
export type Addresses = { eventStoreUrl: string; databaseUrl: string };

export async function eventStorePart({ config, env, programs, noteProcess }: Surroundings) {
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
          args: ['--port', String(port), '--data', join(config.dataDir, 'event-store')],
          env,
          log,
          isReady: (line) => line.startsWith('event store listening on '),
          readyTimeoutMs,
          stopTimeoutMs: 2000,
          onSpawn: (pid) => noteProcess('event store', pid),
        },
        stopping,
      ),
  };
  return { part, log, url: `esdb://127.0.0.1:${port}?tls=false` };
}

/** `say` gets what the launcher itself has to tell a person. */
export function postgresPart({ config, secrets }: Surroundings, say: (line: string) => void) {
  const log = openLogFile(config.dataDir, 'postgres');
  // The application keeps the address it was given, so a restart must use the same port.
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

export function applicationPart(surroundings: Surroundings, addresses: Addresses) {
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
  { config, secrets, env }: Surroundings,
  { eventStoreUrl, databaseUrl }: Addresses,
): NodeJS.ProcessEnv {
  return {
    ...env,
    PORT: String(config.port),
    HOST: config.host,
    DATA_DIR: config.dataDir,
    PUBLIC_URL: config.publicUrl,
    EVENTSTORE_URL: eventStoreUrl,
    DATABASE_URL: databaseUrl,
    MASTER_KEY: config.masterKey ?? secrets.masterKey,
    SIGNING_KEY: config.signingKey ?? secrets.signingKey,
    INTERNAL_TOKEN: config.internalToken ?? secrets.internalToken,
  };
}

/** Resolves when /readyz says 200; ends the application and throws when it never does. */
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
