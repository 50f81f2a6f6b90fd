import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { descendantsOf } from '@tallyhand/browser-runner/browser/fixtures/processes';
import { listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { listLedgerEntries } from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  getTaskStats,
  listTasks,
  type TaskStats,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { freePort } from '@tallyhand/service-kit/free-port';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { caseRuns, reportFault, sampleOf } from '@tallyhand/test-kit/cases';
import { Child } from '@tallyhand/test-kit/child';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isRunning, waitUntilGone } from '../postgres/process-table.ts';
import { type Load, startLoad } from './load.ts';

const BACK_MS_MAX = 180_000;
const ROUND_MS_MAX = 600_000;
const rounds = caseRuns(1, 20).numRuns;
const main = fileURLToPath(new URL('../main.ts', import.meta.url));

let dataDir = '';
let port = 0;
let supervisor: Child | undefined;
const supervisorPid = () => supervisor?.process.pid ?? 0;
let url = '';

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tallyhand-faults-'));
  // PostgreSQL does not run as root: its own user must be able to enter the folder.
  await chmod(dataDir, 0o755);
  port = await freePort();
  url = `http://127.0.0.1:${port}`;
});
beforeEach(async () => {
  if (!isRunning(supervisorPid())) await start();
});

afterAll(async () => {
  await supervisor?.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

/** Resolves when this very supervisor is ready: an older application may still answer. */
async function start() {
  supervisor = new Child([main], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), RATE_LIMIT_SCALE: '1000' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await supervisor.says(/Tallyhand is ready/);
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

type Owned = { readonly client: ApiClient; readonly agentId: string };

async function newOrganization(): Promise<Owned> {
  const { client } = await registerOrganization(url);
  return { client, agentId: (await agentWithArticle(client)).agent.id };
}

/** Everything acknowledged is there, once, and paid for once; nothing stays reserved or open. */
async function expectNothingLost({ client }: Owned, load: Load) {
  const stats = async () => {
    const { body: organization } = await client.call<Organization>(getOrganization);
    const { body } = await client.call<TaskStats>(getTaskStats);
    const { createdThisMonth: _, latestDays: __, ...figures } = body;
    return { ...figures, reserved: organization.reserved, balance: organization.creditBalance };
  };
  const count = load.tasks.size;
  await expect.poll(stats).toEqual({
    total: count,
    success: count,
    failed: 0,
    running: 0,
    waiting: 0,
    waitingCalls: 0,
    creditsUsed: count,
    reserved: 0,
    balance: 100 - count,
  });
  const { body: tasks } = await client.call<{ id: string }[]>(listTasks);
  expect(tasks.map(({ id }) => id).toSorted()).toEqual([...load.tasks].toSorted());
  const { body: agents } = await client.call<{ id: string }[]>(listAgents);
  // The agent that runs the tasks is one more.
  expect(agents).toHaveLength(load.agents.size + 1);
  const ids = new Set(agents.map(({ id }) => id));
  expect([...load.agents].every((id) => ids.has(id))).toBe(true);
  const { body: ledger } = await client.call<{ kind: string }[]>(listLedgerEntries);
  expect(ledger.filter(({ kind }) => kind === 'charged')).toHaveLength(count);
}

/** Breaks something during calls, and checks that they continue within seconds: reported. */
async function underLoad(work: () => Promise<void>) {
  const owned = await newOrganization();
  const load = startLoad(owned.client, owned.agentId);
  await load.progress(6, BACK_MS_MAX);
  const since = performance.now();
  await work();
  await load.progress(1, BACK_MS_MAX);
  reportFault({ runs: 1, recoveryMs: performance.now() - since });
  await load.progress(5, BACK_MS_MAX);
  await load.stop();
  await expectNothingLost(owned, load);
  // An outage is reported as such; an answer of 500 would hide a fault.
  expect([...load.refused].filter((status) => status !== 503)).toEqual([]);
}

function kill(pid: number | undefined) {
  if (!pid) throw new Error('This process has no number');
  process.kill(pid, 'SIGKILL');
}

/** One of these for each commit, and the supervisor each time. */
const KILLED = sampleOf(['application', 'event store', 'database', 'all'], 4);

describe('kill -9, while calls are made,', () => {
  it.each(KILLED.filter((name) => name !== 'all'))(
    'of the %s loses nothing',
    async (name) => {
      for (let round = 0; round < rounds; round += 1) {
        await underLoad(async () => kill(processes().get(name)));
      }
    },
    rounds * ROUND_MS_MAX,
  );

  it('of the supervisor ends its children, and the next start loses nothing', async () => {
    await underLoad(async () => {
      const before = processes();
      kill(supervisorPid());
      await start();
      // A running database is taken over; the other processes are new.
      for (const name of ['application', 'event store']) {
        expect(isRunning(before.get(name) ?? 0)).toBe(false);
        expect(processes().get(name)).not.toBe(before.get(name));
      }
    });
  });

  it.runIf(KILLED.includes('all'))(
    'of all at once loses nothing, and nothing is left of them',
    async () => {
      await underLoad(async () => {
        const all = [...processes().values(), supervisorPid()];
        for (const pid of all) kill(pid);
        for (const pid of all) expect(await waitUntilGone(pid, BACK_MS_MAX)).toBe(true);
        await start();
      });
    },
  );
});

describe('Ctrl-C', () => {
  it('ends every process', async () => {
    // The helpers of PostgreSQL, too.
    const all = descendantsOf(supervisorPid()).map(({ pid }) => pid);
    expect(all).toEqual(expect.arrayContaining([...processes().values()]));
    supervisor?.process.kill('SIGINT');
    for (const pid of [...all, supervisorPid()]) {
      expect(await waitUntilGone(pid, BACK_MS_MAX)).toBe(true);
    }
  });
});
