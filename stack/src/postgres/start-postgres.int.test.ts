import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { itIf } from '@tallyhand/test-kit/needs';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { locateBinaries, usableBinaries } from './binaries.ts';
import { choosePlace, copiesDirOf } from './place.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { isRunning, waitUntilGone } from './process-table.ts';
import { type RunningPostgres, serverArguments, startPostgres } from './start-postgres.ts';

const password = 'not secret: a b/c@d';
const launcher = join(import.meta.dirname, 'fixtures', 'launcher.fixture.ts');

let made: string;
let root: string;
let dataDir: string;
const running = new Set<RunningPostgres>();
const children = new Set<ChildProcess>();

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'tallyhand-made-'));
  chmodSync(made, 0o755);
  const server = await startPostgres({ dataDir: join(made, 'postgres'), password });
  await server.stop();
  // Each uses a free one.
  rmSync(join(made, 'postgres', 'port'));
});
afterAll(() => rmSync(made, { recursive: true, force: true }));

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tallyhand-postgres-'));
  chmodSync(root, 0o755);
  dataDir = join(root, 'postgres');
});

afterEach(async () => {
  for (const server of running) await server.stop();
  for (const child of children) child.kill('SIGKILL');
  running.clear();
  children.clear();
  const note = join(dataDir, 'location');
  if (existsSync(note)) {
    rmSync(readFileSync(note, 'utf8').trim(), { recursive: true, force: true });
  }
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

async function start() {
  const lines: string[] = [];
  const server = await startPostgres({ dataDir, password, log: (line) => lines.push(line) });
  running.add(server);
  return { ...server, lines };
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** A folder with a database of another port: creating one takes the longest. */
function useMade() {
  execFileSync('cp', ['-a', join(made, 'postgres'), dataDir]);
}

const writeOne = 'create table kept (n int); insert into kept values (42)';
const readOne = 'select n from kept';

/** A server left by a killed launcher: its parent is dead. */
async function startOrphan(): Promise<number> {
  const place = choosePlace(dataDir);
  const { native } = usableBinaries(locateBinaries(), place.account, copiesDirOf(place));
  const port = Number(readFileSync(join(place.dir, 'port'), 'utf8'));
  const cluster = join(place.dir, 'cluster');
  const child = spawn(
    join(native, 'bin', 'postgres'),
    ['-D', cluster, ...serverArguments(port, null)],
    {
      ...place.account,
      cwd: place.dir,
      env: {},
      stdio: 'ignore',
      detached: true,
    },
  );
  children.add(child);
  await expect.poll(() => readPostmasterFile(cluster)?.isReady).toBe(true);
  return child.pid ?? 0;
}

async function startInChild() {
  const child = spawn(process.execPath, [launcher, dataDir, password], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, server: JSON.parse(String(line)) as { url: string; pid: number } };
}

describe('startPostgres', () => {
  it('makes a database and keeps its data and its port over a restart', async () => {
    const first = await start();
    await query(first.url, writeOne);
    await first.stop();
    expect(await first.exited).toBe(0);
    expect(isRunning(first.pid)).toBe(false);
    const second = await start();
    expect(second.port).toBe(first.port);
    expect(await query(second.url, readOne)).toEqual([{ n: 42 }]);
  });

  it('syncs at commit, requires the password, listens on the loopback address and a private socket', async () => {
    useMade();
    const { url, port } = await start();
    const [settings] = await query(
      url,
      `select current_setting('fsync') fsync, current_setting('listen_addresses') address,
         current_setting('unix_socket_directories') sockets, inet_server_addr() reached,
         (select min(auth_method) || max(auth_method) from pg_hba_file_rules) auth`,
    );
    expect(settings).toEqual({
      fsync: 'on',
      address: '127.0.0.1',
      sockets: dataDir,
      reached: null,
      auth: 'scram-sha-256scram-sha-256',
    });
    expect(statSync(join(dataDir, `.s.PGSQL.${port}`)).mode & 0o777).toBe(0o700);
    const refused = 'password authentication failed';
    const bySocket = url.replace(encodeURIComponent(password), 'wrong');
    await expect(query(bySocket, 'select 1')).rejects.toThrow(refused);
    const wrong = `postgres://postgres:wrong@127.0.0.1:${port}/postgres`;
    await expect(query(wrong, 'select 1')).rejects.toThrow(refused);
  });

  it('listens on its address only when its folder cannot have a socket', async () => {
    useMade();
    const first = await start();
    await first.stop();
    mkdirSync(join(dataDir, `.s.PGSQL.${first.port}`));
    const second = await start();
    expect(new URL(second.url).host).toBe(`127.0.0.1:${first.port}`);
    expect(await query(second.url, 'select 1 n')).toEqual([{ n: 1 }]);
  });

  it.each(['too long for a socket '.repeat(6).replaceAll(' ', '-'), 'Ada\'s "data", all'])(
    'listens on its address only when a socket is impossible: in a folder named %s',
    async (name) => {
      dataDir = join(root, name);
      const { url, port } = await start();
      expect(new URL(url).host).toBe(`127.0.0.1:${port}`);
      await query(url, writeOne);
      expect(await query(url, readOne)).toEqual([{ n: 42 }]);
    },
  );

  it('has committed data after a kill of the server and of its backends', async () => {
    useMade();
    const first = await start();
    await query(first.url, writeOne);
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const second = await start();
    expect(await query(second.url, readOne)).toEqual([{ n: 42 }]);
  });

  it('ends the server when its own process is killed', async () => {
    useMade();
    const { child, server } = await startInChild();
    await query(server.url, writeOne);
    child.kill('SIGKILL');
    expect(await waitUntilGone(server.pid, 10_000)).toBe(true);
    const next = await start();
    expect(await query(next.url, readOne)).toEqual([{ n: 42 }]);
  });

  it('stops a server that an earlier run left behind', async () => {
    useMade();
    const first = await start();
    await query(first.url, writeOne);
    await first.stop();
    const orphan = await startOrphan();
    const next = await start();
    expect(isRunning(orphan)).toBe(false);
    expect(next.lines.join('\n')).toContain(`left behind (process ${orphan})`);
    expect(await query(next.url, readOne)).toEqual([{ n: 42 }]);
  });

  it('starts even if postmaster.pid names another running process', async () => {
    useMade();
    const first = await start();
    await first.stop();
    const { dir, account } = choosePlace(dataDir);
    const other = spawn('/bin/sleep', ['60'], { ...account, cwd: '/', stdio: 'ignore' });
    children.add(other);
    const lines = [other.pid, join(dir, 'cluster'), 0, first.port, '', '127.0.0.1', '0 0', 'ready'];
    writeFileSync(join(dir, 'cluster', 'postmaster.pid'), `${lines.join('\n')}\n`);
    const second = await start();
    expect(await query(second.url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(isRunning(other.pid ?? 0)).toBe(true);
  });

  it('starts over after an initialization that was killed', async () => {
    const { dir } = choosePlace(dataDir);
    const half = join(dir, 'unfinished-1', 'cluster');
    mkdirSync(join(half, 'base'), { recursive: true });
    writeFileSync(join(half, 'PG_VERSION'), '18\n');
    const server = await start();
    expect(await query(server.url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(readdirSync(dir).filter((name) => name.startsWith('unfinished'))).toEqual([]);
  });

  it('uses another port when another program has the stored one', async () => {
    useMade();
    const first = await start();
    await first.stop();
    const other = spawn(
      process.execPath,
      [
        '-e',
        `require('net').createServer().listen(${first.port}, '127.0.0.1', () => console.log(1))`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    children.add(other);
    await once(other.stdout, 'data');
    const second = await start();
    expect(second.port).not.toBe(first.port);
    expect(await query(second.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  it('reports a password that does not match the data', async () => {
    useMade();
    await (await start()).stop();
    await expect(startPostgres({ dataDir, password: 'another' })).rejects.toThrow(
      'refuses the password',
    );
    const { dir } = choosePlace(dataDir);
    expect(existsSync(join(dir, 'cluster', 'postmaster.pid'))).toBe(false);
  });

  itIf(process.getuid?.() === 0, 'the rights of root')(
    'keeps the files elsewhere when its account can not enter the folder',
    async () => {
      chmodSync(dirname(dataDir), 0o700);
      const first = await start();
      expect(first.lines[0]).toContain(`can't use ${dataDir}, so its files are in /var/lib`);
      await query(first.url, writeOne);
      await first.stop();
      const second = await start();
      expect(await query(second.url, readOne)).toEqual([{ n: 42 }]);
    },
  );
});
