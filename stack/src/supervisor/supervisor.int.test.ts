import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, isPortFree } from '@tallyhand/service-kit/free-port';
import { Child } from '@tallyhand/test-kit/child';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readPostmasterFile } from '../postgres/postmaster-file.ts';
import { isRunning, waitUntilGone } from '../postgres/process-table.ts';

const program = join(import.meta.dirname, 'fixtures', 'supervisor.fixture.ts');
// Most rules don't need a database; the ones that do take the real one.
const noDatabase = { DATABASE_URL: 'postgres://user@127.0.0.1:1/nothing' };

type Supervisor = { child: ChildProcess; output(): string; exited: Promise<unknown[]> };
type Application = Record<string, unknown> & { pid: number; EVENTSTORE_URL: string };

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

let baseDir: string;
let port: number;
const supervisors = new Set<ChildProcess>();
const leftPids = new Set<number>();
const servers = new Set<Server>();

beforeEach(async () => {
  baseDir = mkdtempSync(join(tmpdir(), 'tallyhand-supervisor-'));
  chmodSync(baseDir, 0o755);
  port = await freePort();
});

afterEach(async () => {
  for (const child of supervisors) child.kill('SIGTERM');
  for (const child of supervisors) await waitUntilGone(child.pid ?? 0, 6000);
  for (const pid of leftPids) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  for (const server of servers) server.close();
  supervisors.clear();
  leftPids.clear();
  servers.clear();
  rmSync(baseDir, { recursive: true, force: true, maxRetries: 10 });
});

function start(env: NodeJS.ProcessEnv = {}): Supervisor {
  const started = new Child(['--disable-warning=ExperimentalWarning', program], {
    cwd: baseDir,
    env: { PATH: '/usr/bin:/bin', PORT: String(port), ...env },
  });
  const child = started.process;
  supervisors.add(child);
  return { child, output: () => started.output, exited: once(child, 'exit') };
}

async function startReady(env?: NodeJS.ProcessEnv): Promise<Supervisor> {
  const supervisor = start(env);
  await expect.poll(supervisor.output).toContain('Tallyhand is ready: http');
  return supervisor;
}

async function ask(path = '/'): Promise<Application> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return (await response.json()) as Application;
}

function processOf(name: string): number {
  const list = JSON.parse(readFileSync(join(baseDir, 'data', 'processes.json'), 'utf8'));
  return list.find((entry: { name: string }) => entry.name === name).pid;
}

const clusterDir = () => join(baseDir, 'data', 'postgres', 'cluster');

describe('the supervisor', () => {
  it('starts all parts, passes settings to the application, and leaves nothing when it stops', async () => {
    const { child, exited } = await startReady({ OPENAI_MODEL: 'small' });
    const application = await ask();
    const secrets = JSON.parse(readFileSync(join(baseDir, 'data', 'secrets.json'), 'utf8'));
    expect(application).toMatchObject({
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATA_DIR: join(baseDir, 'data'),
      OPENAI_MODEL: 'small',
      MASTER_KEY: secrets.masterKey,
      SIGNING_KEY: secrets.signingKey,
      INTERNAL_TOKEN: secrets.internalToken,
      EVENTSTORE_URL: expect.stringMatching(/^esdb:\/\/writer:[\w-]{43}@localhost:\d+\?tls=true&/),
      EVENTSTORE_READER_URL: expect.stringMatching(/^esdb:\/\/reader:[\w-]{43}@localhost:\d+\?/),
      DATABASE_URL: expect.stringMatching(
        /^postgres:\/\/postgres:.+@%2F.+%2Fpostgres:\d+\/tallyhand$/,
      ),
    });
    for (const name of ['secrets.json', 'audit-key.pem']) {
      expect(statSync(join(baseDir, 'data', name)).mode & 0o777, name).toBe(0o600);
    }
    const pids = [application.pid, processOf('event store')];
    pids.push(readPostmasterFile(clusterDir())?.pid ?? 0);
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
    expect(pids.map(isRunning)).toEqual([false, false, false]);
    const log = readFileSync(join(baseDir, 'data', 'logs', 'application.log'), 'utf8');
    expect(log).toContain('application stopped');
  });

  it('passes on the content of a file, and the name of the one that is read again', async () => {
    const file = join(baseDir, 'model');
    writeFileSync(file, 'small\n');
    await startReady({ ...noDatabase, OPENAI_MODEL_FILE: file });
    expect(await ask()).toMatchObject({ OPENAI_MODEL: 'small', files: ['AUDIT_KEY_FILE'] });
  });

  it('starts the application again when it dies', async () => {
    const { output } = await startReady(noDatabase);
    const first = await ask();
    await ask('/exit').catch(() => {});
    await expect.poll(output).toContain('The application runs again.');
    expect(output()).toContain('The application stopped (it ended with code 3); it starts again');
    expect((await ask()).pid).not.toBe(first.pid);
  });

  it('starts the event store and PostgreSQL again, at the same addresses', async () => {
    const { output } = await startReady();
    const before = await ask();
    const database = readPostmasterFile(clusterDir());
    process.kill(processOf('event store'), 'SIGKILL');
    process.kill(database?.pid ?? 0, 'SIGKILL');
    await expect.poll(output).toContain('The event store runs again.');
    await expect.poll(output).toContain('The database runs again.');
    expect(await ask()).toEqual(before);
    expect(readPostmasterFile(clusterDir())?.port).toBe(database?.port);
    const eventStorePort = Number(new URL(before.EVENTSTORE_URL).port);
    expect(await isPortFree(eventStorePort)).toBe(false);
  });

  it('ends with its children when it is killed, and starts again', async () => {
    const { child } = await startReady();
    const { pid, ...settings } = await ask();
    const pids = [pid, processOf('event store'), readPostmasterFile(clusterDir())?.pid ?? 0];
    child.kill('SIGKILL');
    for (const each of pids) expect(await waitUntilGone(each, 10_000)).toBe(true);
    await startReady();
    expect(await ask()).toMatchObject(settings);
  });

  it('ends a child that hangs after an earlier run was killed', async () => {
    const { child } = await startReady(noDatabase);
    const { pid } = await ask();
    leftPids.add(pid);
    const hanging = ask('/hang').catch(() => {});
    // The process hangs once it has taken the call: a second one gets no answer.
    const isHanging = () =>
      fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(300) }).then(
        () => false,
        () => true,
      );
    await expect.poll(isHanging).toBe(true);
    child.kill('SIGKILL');
    const { output } = await startReady(noDatabase);
    await hanging;
    expect(output()).toContain(
      `ending the application that an earlier run left behind (process ${pid})`,
    );
    expect(isRunning(pid)).toBe(false);
  });

  it('kills a child that does not stop', async () => {
    const { child, exited } = await startReady(noDatabase);
    const { pid } = await ask();
    leftPids.add(pid);
    process.kill(pid, 'SIGSTOP');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(isRunning(pid)).toBe(false);
  });

  it('reports that the port is taken before anything starts', async () => {
    const server = createServer().listen(port, '127.0.0.1');
    servers.add(server);
    await once(server, 'listening');
    const { exited, output } = start();
    expect(await exited).toEqual([1, null]);
    expect(output()).toBe(
      `Port ${port} is in use by another program. ` +
        `Set PORT to another one, for example PORT=${port + 1} npm start.\n`,
    );
    expect(() => statSync(join(baseDir, 'data', 'postgres'))).toThrow('ENOENT');
  });

  it('refuses a data folder that another one uses', async () => {
    const { child } = await startReady(noDatabase);
    const second = start(noDatabase);
    expect(await second.exited).toEqual([1, null]);
    expect(second.output()).toContain(`(process ${child.pid}). Stop it first`);
    await ask();
  });

  it('reports the fault and leaves nothing when the application cannot start', async () => {
    const { exited, output } = start({ FIXTURE_FAULT: 'the cause is here' });
    expect(await exited).toEqual([1, null]);
    expect(output()).toContain('The application did not start: it ended with code 1');
    expect(output()).toContain('the cause is here');
    expect(isRunning(processOf('event store'))).toBe(false);
    expect(readPostmasterFile(clusterDir())).toBeUndefined();
  });

  it('stops in the middle of starting', async () => {
    const { child, exited } = start(noDatabase);
    await expect
      .poll(() => statSync(join(baseDir, 'data'), { throwIfNoEntry: false }))
      .toBeTruthy();
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
    expect(await isPortFree(port)).toBe(true);
  });

  it('never overwrites damaged secrets', async () => {
    const { child, exited } = await startReady(noDatabase);
    child.kill('SIGTERM');
    await exited;
    const file = join(baseDir, 'data', 'secrets.json');
    writeFileSync(file, '{"masterKey": ');
    const second = start(noDatabase);
    expect(await second.exited).toEqual([1, null]);
    expect(second.output()).toContain(`${file} is damaged`);
    expect(readFileSync(file, 'utf8')).toBe('{"masterKey": ');
  });
});
