import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { jsonLog } from '@tallyhand/service-kit/log';
import { startInstances } from '@tallyhand/stack/testing/instances/instances';
import { startChild } from './child.ts';
import { commandOf } from './cost/process-costs.ts';
import { executeLoad, TASKS_OF_LOAD } from './execute.ts';
import { startBackends } from './ledger-backends.ts';
import { endedChildrenMs, processorMs, treeOf } from './processes.ts';
import { type Row, row, rowOfEach } from './table.ts';

/** So many of each service. */
const COUNTS = [1, 2, 4] as const;
const CLIENTS = 16;
const SETTLE_MS = 2_000;
/** Each look costs the instance a few milliseconds. */
const LOOK_MS = 2_000;

/** By a part of the command line. */
const PARTS = {
  'command services': 'command-service/src/main.ts',
  workers: 'command-service/src/worker.main.ts',
  projectors: 'projector/src/main.ts',
  'query services': 'query-service/src/main.ts',
  'event store': 'event-store/src/main.ts',
  PostgreSQL: 'postgres',
} as const;
type Part = keyof typeof PARTS;
type PartMs = Readonly<Record<Part, number>>;
const NAMES = Object.keys(PARTS) as Part[];

type Figures = { readonly perSecond: number; readonly p50Ms: number; readonly task: PartMs };

/** What a task costs when one, two and four processes of each service share the work. */
export async function measureInstances(): Promise<Row[]> {
  using stub = startChild(new URL('./stub-model.main.ts', import.meta.url), {});
  const modelUrl = await stub.told<string>();
  const figures: Figures[] = [];
  for (const count of COUNTS) figures.push(await measureOne(modelUrl, count));
  return rowsOf(figures);
}

async function measureOne(modelUrl: string, count: number): Promise<Figures> {
  await using backends = await startBackends();
  const config = {
    ...backends.kit,
    migrateDatabaseUrl: backends.kit.databaseUrl,
    host: '127.0.0.1',
    port: 0,
    publicUrl: 'http://127.0.0.1',
    trustProxy: false,
    rateLimitScale: 1_000,
    allowPrivateHosts: '127.0.0.1',
    model: { openAiBaseUrl: modelUrl },
    webFolder: fileURLToPath(new URL('../../web/dist/', import.meta.url)),
    internalToken: randomBytes(32).toString('base64url'),
    log: jsonLog('bench', 'warn'),
  };
  await using instances = await startInstances(config, { ofEach: count, lookMs: LOOK_MS });
  if (!instances) throw new Error('Settings can not express the configuration');
  await executeLoad(instances.url, CLIENTS);
  await pause(SETTLE_MS);
  const before = spentSoFar();
  const load = await executeLoad(instances.url, CLIENTS);
  await pause(SETTLE_MS);
  const after = spentSoFar();
  // Its first round warms up, but costs as much.
  const each = (part: Part) => (after[part] - before[part]) / TASKS_OF_LOAD;
  return { ...load, task: Object.fromEntries(NAMES.map((part) => [part, each(part)])) as PartMs };
}

/** Processor time of all processes below this one, by part. */
function spentSoFar(): PartMs {
  const spent = Object.fromEntries(NAMES.map((part) => [part, 0])) as Record<Part, number>;
  for (const pid of treeOf(process.pid).slice(1)) {
    const command = commandOf(pid);
    const part = NAMES.find((name) => command.includes(PARTS[name]));
    if (part) spent[part] += processorMs(pid) + endedChildrenMs(pid);
  }
  return spent;
}

function rowsOf(figures: readonly Figures[]): Row[] {
  const line = (what: string, of: (one: Figures) => number, unit = '') =>
    rowOfEach(what, figures, of, unit);
  const sum = ({ task }: Figures) => NAMES.reduce((all, part) => all + task[part], 0);
  const [one] = figures;
  return [
    row('processes of each service', COUNTS.join('; ')),
    line(`tasks/s, ${CLIENTS} clients`, ({ perSecond }) => perSecond),
    line('the same: p50', ({ p50Ms }) => p50Ms, 'ms'),
    line('a task: processor time', sum, 'ms'),
    ...NAMES.map((part) => line(`the same: ${part}`, ({ task }) => task[part], 'ms')),
    line('the same against one process of each', (many) => sum(many) / (one ? sum(one) : 1)),
    line(
      'tasks/s that these costs leave room for',
      (many) => (availableParallelism() * 1_000) / sum(many),
    ),
  ];
}
