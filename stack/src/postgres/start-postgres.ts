import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { isPortFree } from '@tallyhand/service-kit/free-port';
import { Client } from 'pg';
import { type Binaries, locateBinaries, usableBinaries } from './binaries.ts';
import { ensureCluster, superuser } from './cluster.ts';
import { keptPort } from './kept-port.ts';
import { choosePlace, copiesDirOf, type Place } from './place.ts';
import { readPostmasterFile, stopOrphan } from './postmaster-file.ts';
import { waitUntilGone } from './process-table.ts';

export type PostgresOptions = {
  /** PostgreSQL's own folder, for example ./data/postgres. One launcher at a time may use it. */
  dataDir: string;
  /** Default: a free port, kept in the folder so that a restart uses the same. */
  port?: number;
  /** The superuser's password. It is set when the database is made, and must stay the same. */
  password: string;
  /** Instead of the defaults, which preserve committed data. */
  settings?: Readonly<Record<string, string>>;
  /** Receives the messages of the server and the launcher, line by line. */
  log?: (line: string) => void;
};

export type RunningPostgres = {
  /** Connects as superuser to the database `postgres`, by a socket in a folder if that works here. */
  url: string;
  port: number;
  pid: number;
  /** Resolves with the exit code, or null after a signal, whatever ended the server. */
  exited: Promise<number | null>;
  /** Ends all connections and the server; after 2 s it is forced to quit. */
  stop(): Promise<void>;
};

/** A killed server's backends, or a zombie that waits for its parent, hold the lock for a while. */
const lockRetryMs = 15_000;
const readyTimeoutMs = 60_000;

/**
 * Starts the PostgreSQL that npm installed, and creates the database first if there is none. It
 * listens on 127.0.0.1 only, and ends when this process ends, even by SIGKILL.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const log = options.log ?? (() => {});
  const place = choosePlace(resolve(options.dataDir));
  if (place.dir !== resolve(options.dataDir)) {
    log(`PostgreSQL can't use ${resolve(options.dataDir)}, so its files are in ${place.dir}`);
  }
  const binaries = usableBinaries(locateBinaries(), place.account, copiesDirOf(place));
  const cluster = await ensureCluster(place, binaries, options.password);
  await stopOrphan(cluster, log);
  const deadline = performance.now() + lockRetryMs;
  let socketDir = socketDirOf(place);
  for (;;) {
    const port = options.port ?? (await keptPort(join(place.dir, 'port')));
    const server = launch(place, binaries, cluster, { ...options, port, socketDir }, log);
    if (await becomesReady(server, cluster)) {
      return await checked(server, { port, socketDir, password: options.password });
    }
    const last = server.lastLines.join('\n');
    // Not every file system has them.
    if (/could not create any Unix-domain sockets/.test(last)) {
      socketDir = null;
      continue;
    }
    const isLocked = /lock file .* exists|shared memory block .* still in use/.test(last);
    const mayRetry = isLocked || (!options.port && !(await isPortFree(port)));
    if (!mayRetry || performance.now() > deadline) {
      throw new Error(`PostgreSQL did not start in ${place.dir}: ${last}`);
    }
    await new Promise((done) => setTimeout(done, 200));
    await stopOrphan(cluster, log);
  }
}

type Server = {
  child: ChildProcess;
  exited: Promise<number | null>;
  lastLines: string[];
};

function launch(
  place: Place,
  binaries: Binaries,
  cluster: string,
  {
    port,
    socketDir,
    settings,
  }: Pick<PostgresOptions, 'settings'> & { port: number; socketDir: string | null },
  log: (line: string) => void,
): Server {
  const child = spawn(
    join(binaries.native, 'bin', 'postgres'),
    ['-D', cluster, ...serverArguments(port, socketDir, settings)],
    // A separate process group: Ctrl-C in a terminal must not stop it before its clients.
    {
      ...place.account,
      cwd: place.dir,
      env: { TZ: 'UTC' },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    },
  );
  const lastLines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    log(line);
    if (lastLines.push(line) > 10) lastLines.shift();
  });
  const exited = new Promise<number | null>((done) => {
    child.once('error', (error) => {
      lastLines.push(error.message);
      done(null);
    });
    child.once('close', (code) => done(code));
  });
  if (child.pid) endWithLauncher(child.pid, place, exited);
  return { child, exited, lastLines };
}

/**
 * A shell that waits for the end of its input, which comes when this process is gone, however it
 * died, and then stops the server.
 */
function endWithLauncher(pid: number, place: Place, exited: Promise<unknown>): void {
  const guard = spawn('/bin/sh', ['-c', 'read -r line; kill -INT "$1"', 'sh', String(pid)], {
    ...place.account,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without the guard the server still runs; an orphan is stopped by the next start.
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  exited.then(() => guard.kill('SIGKILL'));
}

/** False when the server ended before it accepted connections. */
async function becomesReady(server: Server, cluster: string): Promise<boolean> {
  let hasEnded = false;
  server.exited.then(() => {
    hasEnded = true;
  });
  const deadline = performance.now() + readyTimeoutMs;
  while (performance.now() < deadline) {
    const file = readPostmasterFile(cluster);
    if (file?.pid === server.child.pid && file?.isReady) return true;
    if (hasEnded) return false;
    await new Promise((done) => setTimeout(done, 10));
  }
  await stop(server);
  return false;
}

type Address = { port: number; socketDir: string | null; password: string };

async function checked(
  server: Server,
  { port, socketDir, password }: Address,
): Promise<RunningPostgres> {
  const byAddress = urlOf('127.0.0.1', port, password);
  const bySocket = socketDir && urlOf(socketDir, port, password);
  try {
    const url = bySocket && (await isReached(bySocket)) ? bySocket : byAddress;
    if (url === byAddress) await greet(byAddress);
    const pid = server.child.pid ?? 0;
    return { url, port, pid, exited: server.exited, stop: () => stop(server) };
  } catch (error) {
    await stop(server);
    if ((error as { code?: string }).code !== '28P01') throw error;
    throw new Error('PostgreSQL refuses the password: it is not the one its data was made with.');
  }
}

async function isReached(url: string): Promise<boolean> {
  try {
    await greet(url);
    return true;
  } catch (error) {
    if ((error as { syscall?: string }).syscall !== 'connect') throw error;
    return false;
  }
}

async function greet(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // The server may be stopped while the connection closes.
  client.on('error', () => {});
  await client.connect();
  await client.query('select 1');
  await client.end();
}

/** Fast shutdown, then immediate shutdown, then the end. */
async function stop({ child, exited }: Server): Promise<void> {
  if (!child.pid) return;
  for (const [signal, patienceMs] of [
    ['SIGINT', 2000],
    ['SIGQUIT', 1000],
    ['SIGKILL', 5000],
  ] as const) {
    child.kill(signal);
    if (await waitUntilGone(child.pid, patienceMs)) break;
  }
  await exited;
}

/** The shortest that a system has for the path of a socket is 104 bytes, with one for its end. */
const PATH_BYTES_MAX = 103;
/** The setting lists folders, quoted if they contain special characters. */
const PLAIN = /^[\w./-]+$/;

/**
 * The folder of a socket for PostgreSQL's account and root only: a query takes a fifth less
 * processor time than over the loopback address. Null where no socket is possible.
 */
function socketDirOf({ dir }: Pick<Place, 'dir'>, platform = process.platform) {
  if (platform === 'win32' || !PLAIN.test(dir)) return null;
  const longest = join(dir, '.s.PGSQL.65535.lock');
  return Buffer.byteLength(longest) > PATH_BYTES_MAX ? null : dir;
}

/** The superuser's address of the database `postgres`; `place`: a host, or a socket's folder. */
export const urlOf = (place: string, port: number, password: string) =>
  `postgres://${superuser}:${encodeURIComponent(password)}@${encodeURIComponent(place)}:${port}/postgres`;

/** Settings for one organization's machine: small memory, loopback only, durable commits. */
const settings: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_permissions: '0700',
  password_encryption: 'scram-sha-256',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: '100',
  shared_buffers: '64MB',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  effective_cache_size: '512MB',
  max_wal_size: '256MB',
  // Each of these is a process, or a buffer in each process, that a small machine can do without.
  io_method: 'sync',
  autovacuum_max_workers: '2',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  jit: 'off',
  huge_pages: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_checkpoints: 'off',
  // A statement may hold personal data, so only the message of an error is written.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** `socketDir`: where it listens beside the loopback address; null for nowhere else. */
export function serverArguments(
  port: number,
  socketDir: string | null,
  others: Readonly<Record<string, string>> = {},
) {
  const sockets = { unix_socket_directories: socketDir ?? '' };
  const all = Object.entries({ ...settings, ...sockets, ...others });
  return ['-p', String(port), ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
