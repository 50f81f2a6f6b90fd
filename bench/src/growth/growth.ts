import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { REACTIONS_CHECKPOINT } from '@tallyhand/command-service/kit/reactions';
import { REACTIONS_LOCK } from '@tallyhand/command-service/worker';
import { listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { listAuditEntries } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { listLedgerEntries } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { listArticles } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { search } from '@tallyhand/contracts/features/search/search.endpoints';
import { executeTask, listTasks } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { listMembers } from '@tallyhand/contracts/features/team/team.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { takeBackup } from '@tallyhand/stack/backup/take-backup';
import { askProjector } from '@tallyhand/stack/operator/rebuild-command';
import { runningProduct } from '@tallyhand/stack/operator/running-product';
import { deriveConfig } from '@tallyhand/stack/supervisor/config';
import type pg from 'pg';
import { apiClient } from '../../../test-kit/src/api-client.ts';
import { startChild } from '../child.ts';
import {
  type CostsByPart,
  costsBelow,
  PARTS,
  partsBelow,
  spent,
  total,
} from '../cost/process-costs.ts';
import { type Organization, writeHistory } from '../history/write-history.ts';
import { load } from '../load.ts';
import { productFolder, type RunningProduct } from '../product.ts';
import { until } from '../projecting.ts';
import { areAllRebuilt } from '../rebuild.ts';
import { signInAsAdmin } from '../sign-in.ts';
import type { Row } from '../table.ts';
import { type Figures, type MsByPart, pictureOf, rowsOf } from './report.ts';

type Stage = {
  readonly events: number;
  readonly articles: number;
  readonly members: number;
  readonly others: number;
};

/** One organization of this size, and many small ones; each stage adds both to those before. */
const STAGES: readonly Stage[] = [
  { events: 1_000, articles: 10, members: 1, others: 10 },
  { events: 10_000, articles: 100, members: 10, others: 100 },
  { events: 100_000, articles: 1_000, members: 100, others: 1_000 },
  { events: 1_000_000, articles: 10_000, members: 1_000, others: 10_000 },
];
/** Of each small organization; its agents are 40 events more. */
const ARTICLES_OF_OTHERS = 2;

const NOTHING_FOUND = 'search, nothing';
const READS: Readonly<Record<string, { endpoint: Endpoint; query?: Record<string, string> }>> = {
  tasks: { endpoint: listTasks, query: { limit: '20' } },
  'audit log': { endpoint: listAuditEntries, query: { limit: '50' } },
  ledger: { endpoint: listLedgerEntries, query: { limit: '100' } },
  articles: { endpoint: listArticles, query: { limit: '20' } },
  agents: { endpoint: listAgents },
  members: { endpoint: listMembers },
  'search, found': { endpoint: search, query: { q: 'returned' } },
  [NOTHING_FOUND]: { endpoint: search, query: { q: 'zq' } },
};
const CALLS = 300;
const WARM_UP_CALLS = 200;
const TASKS = 400;
const CLIENTS = 16;
const IDLE_MS = 10_000;
const QUIET_MS = 1_000;
/** An idle product needs up to 200 on a slow machine. */
const QUIET_PROCESSOR_MS = 400;
const QUIET_TIMES = 3;
const CATCH_UP_MS_MAX = 3_600_000;
const FIRST_TASK_MS_MAX = 300_000;
const PICTURE = fileURLToPath(new URL('../../../docs/images/growth.svg', import.meta.url));

/** The same work on the product as `npm start` runs it, with more and more behind it. */
export async function measureGrowth(): Promise<Row[]> {
  using stub = startChild(new URL('../stub-model.main.ts', import.meta.url), {});
  await using folder = await productFolder({ OPENAI_BASE_URL: await stub.told<string>() });
  const figures: Figures[] = [];
  let { product } = await folder.start();
  try {
    for (const stage of STAGES) {
      await quiet(product);
      const organization = await withoutReactions(folder.dataDir, product, async () => {
        const before = await withAdmin(folder.dataDir, eventsProjected);
        const grown = await grow(folder.dataDir, stage);
        await projected(folder.dataDir, before + grown.events);
        return grown.organization;
      });
      await quiet(product);
      await withAdmin(folder.dataDir, (admin) => admin.query('checkpoint'));
      await product.stop();
      const again = await folder.start();
      product = again.product;
      const { startMs } = again;
      const measured = await measureStage(folder.dataDir, product, organization);
      const { events: ofLarge, others: organizations } = stage;
      figures.push({ ...measured, startMs, ofLarge, organizations });
    }
  } finally {
    await product.stop();
  }
  await writeFile(PICTURE, pictureOf(figures));
  return rowsOf(figures);
}

const keysOf = (dataDir: string) => runningProduct(deriveConfig({ DATA_DIR: dataDir }, dataDir));

async function grow(dataDir: string, { events: eventsEach, articles, members, others }: Stage) {
  const kit = keysOf(dataDir);
  const small = await writeHistory(kit, {
    organizations: others,
    eventsEach: 0,
    articlesEach: ARTICLES_OF_OTHERS,
  });
  const large = await writeHistory(kit, {
    organizations: 1,
    eventsEach,
    articlesEach: articles,
    membersEach: members,
  });
  const [organization] = large.written;
  if (!organization) throw new Error('No organization was written');
  return { organization, events: small.events + large.events };
}

/**
 * Does `act` while no process reacts to events, and lets reactions go on after them. The commands of
 * the product would already have done that work, such as running the tasks.
 */
async function withoutReactions<T>(
  dataDir: string,
  { pid }: RunningProduct,
  act: () => Promise<T>,
): Promise<T> {
  return withAdmin(dataDir, async (admin) => {
    const holder = await admin.connect();
    try {
      // The lock goes to the connection that waits for it when the application is killed; the one
      // that is started instead only tries again and again.
      const held = holder.query('select pg_advisory_lock($1)', [REACTIONS_LOCK]);
      for (const application of partsBelow(pid).application) process.kill(application, 'SIGKILL');
      await held;
      const done = await act();
      // Rejects if the lock was lost with the connection.
      await holder.query(
        `insert into operational.reaction_checkpoints (name, position)
         values ($1, read_model.read_position())
         on conflict (name) do update set position = excluded.position`,
        [REACTIONS_CHECKPOINT],
      );
      return done;
    } finally {
      holder.release(true);
    }
  });
}

/** Resolves once every read model has all events, and PostgreSQL knows how many rows there are. */
async function projected(dataDir: string, events: number) {
  await withAdmin(dataDir, async (admin) => {
    await until(CATCH_UP_MS_MAX, async () => (await eventsProjected(admin)) >= events);
    await admin.query('vacuum analyze');
  });
}

/** By the read model that is last. */
async function eventsProjected(admin: pg.Pool): Promise<number> {
  const { rows } = await admin.query<{ events: number }>(
    'select min(events)::int as events from read_model.checkpoints',
  );
  return rows[0]?.events ?? 0;
}

async function withAdmin<T>(dataDir: string, act: (admin: pg.Pool) => Promise<T>): Promise<T> {
  const admin = openPool(keysOf(dataDir).databaseUrl, 2);
  try {
    return await act(admin);
  } finally {
    await admin.end();
  }
}

/** Waits for the end of the check of the whole event store that began with the product. */
async function checked(dataDir: string): Promise<void> {
  await withAdmin(dataDir, (admin) =>
    until(CATCH_UP_MS_MAX, async () => {
      const { rows } = await admin.query(
        'select from operational.audit_check where checked_at > pg_postmaster_start_time()',
      );
      return rows.length > 0;
    }),
  );
}

/** Waits until whatever follows the events has ended. */
async function quiet({ pid }: RunningProduct): Promise<void> {
  const began = performance.now();
  let since = began;
  while (performance.now() - since < QUIET_TIMES * QUIET_MS) {
    if (since - began > CATCH_UP_MS_MAX) throw new Error('The product does not come to rest');
    const before = costsBelow(pid);
    await pause(QUIET_MS);
    const { processorMs } = total(spent(before, costsBelow(pid)));
    // Less than nothing: a process has ended.
    if (processorMs < 0 || processorMs > QUIET_PROCESSOR_MS) since = performance.now();
  }
}

async function measureStage(
  dataDir: string,
  product: RunningProduct,
  organization: Organization,
): Promise<Omit<Figures, 'startMs' | 'ofLarge' | 'organizations'>> {
  const began = performance.now();
  await checked(dataDir);
  const settleMs = performance.now() - began;
  await quiet(product);
  const beforeIdle = costsBelow(product.pid);
  await pause(IDLE_MS);
  const idle = spent(beforeIdle, costsBelow(product.pid));
  const memoryMb = product.pssMb() ?? 0;
  const token = await withAdmin(dataDir, (admin) =>
    signInAsAdmin(admin, keysOf(dataDir).signingKey, organization),
  );
  const client = apiClient(product.url);
  client.cookies.set('tallyhand', token);
  const readsMs = new Map<string, { p50: number; p99: number }>();
  for (const [name, { endpoint, query }] of Object.entries(READS)) {
    const one = async () => {
      const { status, body } = await client.call<unknown[]>(endpoint, { query: query ?? {} });
      if (status !== 200 || (body.length === 0) !== (name === NOTHING_FOUND)) {
        throw new Error(`${name} answered ${status} with ${body.length} rows`);
      }
    };
    await load(1, WARM_UP_CALLS, one);
    const { p50Ms: p50, p99Ms: p99 } = await load(1, CALLS, one);
    readsMs.set(name, { p50, p99 });
  }
  const statusOf = async (index: number) => {
    const id = organization.agents[index % organization.agents.length] ?? '';
    const body = { input: 'Within how many days can items be returned?' };
    return (await client.call(executeTask, { params: { id }, body })).status;
  };
  const task = async (index: number) => {
    const status = await statusOf(index);
    if (status !== 200) throw new Error(`A task answered ${status}`);
  };
  // The history has no snapshots: until a long ledger is read, calls are refused.
  const firstAt = performance.now();
  await until(FIRST_TASK_MS_MAX, async () => (await statusOf(0)) === 200);
  const firstTaskMs = performance.now() - firstAt;
  await load(CLIENTS, TASKS, task);
  await quiet(product);
  const before = costsBelow(product.pid);
  const { p50Ms: taskP50Ms } = await load(CLIENTS, TASKS, task);
  await pause(IDLE_MS / 5);
  const costs = spent(before, costsBelow(product.pid));
  await quiet(product);
  const eventStoreBytes = await bytesOf(join(dataDir, 'event-store'));
  const { events, databaseBytes, rebuildMs } = await withAdmin(dataDir, async (admin) => ({
    events: await eventsProjected(admin),
    databaseBytes: await databaseSize(admin),
    rebuildMs: await rebuild(admin),
  }));
  await quiet(product);
  const backupMs = await backUp(dataDir);
  return {
    events,
    settleMs,
    memoryMb,
    idle: msByPart(idle, IDLE_MS / 1000),
    readsMs,
    task: msByPart(costs, TASKS),
    taskP50Ms,
    firstTaskMs,
    eventStoreBytes,
    databaseBytes,
    backupMs,
    rebuildMs,
  };
}

const msByPart = (costs: CostsByPart, units: number): MsByPart =>
  Object.fromEntries(PARTS.map((part) => [part, costs[part].processorMs / units])) as never;

async function databaseSize(admin: pg.Pool): Promise<number> {
  const { rows } = await admin.query<{ bytes: string }>(
    'select pg_database_size(current_database()) as bytes',
  );
  return Number(rows[0]?.bytes);
}

async function rebuild(admin: pg.Pool): Promise<number> {
  await admin.query('delete from read_model.rebuilds');
  const began = performance.now();
  await askProjector(admin, { kind: 'rebuild', projections: null, acceptsDifferences: false });
  await until(CATCH_UP_MS_MAX, () => areAllRebuilt(admin));
  return performance.now() - began;
}

async function backUp(dataDir: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'tallyhand-bench-backup-'));
  try {
    const { databaseUrl } = keysOf(dataDir);
    const source = { eventStoreDir: join(dataDir, 'event-store'), databaseUrl, secrets: null };
    const began = performance.now();
    await takeBackup(source, join(folder, 'growth.backup'));
    return performance.now() - began;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function bytesOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(
    files.map((file) =>
      stat(join(folder, file)).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
