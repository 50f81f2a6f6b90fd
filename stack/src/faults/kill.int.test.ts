import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  type ExecutionResult,
  executeTask,
  getTaskStats,
  type TaskStats,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { keptPort } from '../postgres/kept-port.ts';
import { isRunning, waitUntilGone } from '../postgres/process-table.ts';
import { type ApiClient, agentWithArticle, registerOrganization } from '../testing/api-client.ts';

const BACK_MS_MAX = 20_000;
const main = fileURLToPath(new URL('../main.ts', import.meta.url));

let dataDir = '';
let port = 0;
let supervisor: ChildProcess;
let client: ApiClient;
let agentId = '';
/** Tasks whose success was answered. */
let acknowledged = 0;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tallyhand-faults-'));
  // PostgreSQL does not run as root: its own user must be able to enter the folder.
  await chmod(dataDir, 0o755);
  port = await keptPort(join(dataDir, 'test.port'));
  await start();
  ({ client } = await registerOrganization(`http://127.0.0.1:${port}`));
  agentId = (await agentWithArticle(client)).agent.id;
}, 90_000);

afterAll(async () => {
  supervisor.kill('SIGTERM');
  await waitUntilGone(supervisor.pid ?? 0, 10_000);
  await rm(dataDir, { recursive: true, force: true });
});

async function start() {
  supervisor = spawn(process.execPath, [main], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), RATE_LIMIT_SCALE: '1000' },
    stdio: 'ignore',
  });
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await vi.waitUntil(isReady, { timeout: 60_000, interval: 100 });
}

/** Process ids by name, with the postmaster's. */
function processes(): Map<string, number> {
  const list = JSON.parse(readFileSync(join(dataDir, 'processes.json'), 'utf8'));
  const found = new Map<string, number>(
    list.map(({ name, pid }: { name: string; pid: number }) => [name, pid]),
  );
  const file = readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8');
  return found.set('database', Number(file.split('\n')[0]));
}

async function execute(): Promise<boolean> {
  const answer = await client
    .call<ExecutionResult>(executeTask, {
      params: { id: agentId },
      body: { input: 'Within how many days?' },
    })
    .catch(() => null);
  const isDone = answer?.status === 200 && answer.body.success;
  if (isDone) acknowledged += 1;
  return isDone;
}

/** Each acknowledged task is there and paid for once; nothing stays set aside. */
async function expectNothingLost() {
  const settled = async () => (await client.call<Organization>(getOrganization)).body.reserved;
  await expect.poll(settled, { timeout: BACK_MS_MAX }).toBe(0);
  const { body: organization } = await client.call<Organization>(getOrganization);
  const { body: stats } = await client.call<TaskStats>(getTaskStats);
  expect(stats.success).toBeGreaterThanOrEqual(acknowledged);
  expect(stats.creditsUsed).toBe(stats.success);
  expect(organization.creditBalance).toBe(100 - stats.success);
}

describe('kill -9', () => {
  it.each(['application', 'event store', 'database'])('of the %s loses nothing', async (name) => {
    expect(await execute()).toBe(true);
    const underWay = execute();
    process.kill(processes().get(name) ?? 0, 'SIGKILL');
    await underWay;
    await expect.poll(execute, { timeout: BACK_MS_MAX, interval: 200 }).toBe(true);
    await expectNothingLost();
  });

  it('of all at once loses nothing, and nothing is left of them', async () => {
    expect(await execute()).toBe(true);
    const all = [...processes().values(), supervisor.pid ?? 0];
    for (const pid of all) process.kill(pid, 'SIGKILL');
    for (const pid of all) expect(await waitUntilGone(pid, BACK_MS_MAX)).toBe(true);
    await start();
    expect(await execute()).toBe(true);
    await expectNothingLost();
  });
});

describe('Ctrl-C', () => {
  it('ends every process', async () => {
    const all = [...processes().values()];
    expect(all.every(isRunning)).toBe(true);
    supervisor.kill('SIGINT');
    for (const pid of [...all, supervisor.pid ?? 0]) {
      expect(await waitUntilGone(pid, 5_000)).toBe(true);
    }
  });
});
