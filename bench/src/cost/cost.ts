import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startChild } from '../child.ts';
import { productFolder, type RunningProduct } from '../product.ts';
import { type Row, row } from '../table.ts';
import type { ProbeCounts } from './probe.ts';
import {
  type Costs,
  type CostsByPart,
  costsBelow,
  partsBelow,
  spent,
  threadCosts,
  total,
} from './process-costs.ts';
import { run, type Unit, units } from './units.ts';
import { worktreeOf } from './worktree.ts';

export type CostOptions = {
  /** A commit that is measured in turns with this one. */
  readonly against?: string | undefined;
  /** A folder for profiles of the application and the event store, as `.cpuprofile`. */
  readonly profiles?: string | undefined;
  /** Only units whose names have this text. */
  readonly only?: string | undefined;
};

/** Both sides take turns so often; a figure is the least of its runs, which others disturbed least. */
const ROUNDS = 3;
const IDLE_MS = 10_000;
const SETTLE_MS = 1_500;
const ANSWER_MS_MAX = 60_000;
const probe = pathToFileURL(fileURLToPath(new URL('./probe.ts', import.meta.url))).href;
const here = fileURLToPath(new URL('../../../', import.meta.url));

/** The costs of one unit. */
type Figures = {
  readonly unit: Unit;
  readonly parts: CostsByPart;
  readonly all: Costs;
  readonly counts: ProbeCounts;
  readonly threads: ReadonlyMap<string, number>;
  readonly events: number;
};

/** Processor time, system calls and more of a unit of work of each kind, warm. */
export async function measureCost({ against, profiles, only = '' }: CostOptions): Promise<Row[]> {
  using stub = startChild(new URL('../stub-model.main.ts', import.meta.url), {});
  const modelUrl = await stub.told<string>();
  await using stack = new AsyncDisposableStack();
  const sides = [stack.use(await startSide(here, modelUrl, profiles))];
  if (against) {
    const folder = stack.use(await worktreeOf(against));
    sides.push(stack.use(await startSide(folder.path, modelUrl, undefined)));
  }
  const rows: Row[] = [];
  for (const unit of units.filter(({ name }) => name.includes(only))) {
    const [ours, theirs] = await measureUnit(sides, unit);
    if (ours) rows.push(...rowsOf(ours, theirs ?? null));
  }
  for (const { product } of sides) rows.push(...(await idleRows(product)));
  return rows;
}

type Side = AsyncDisposable & {
  readonly product: RunningProduct;
  /** The counts of the application; ends a profile and begins the next. */
  counts(): Promise<ProbeCounts>;
};

async function startSide(root: string, modelUrl: string, profiles?: string): Promise<Side> {
  await using opening = new AsyncDisposableStack();
  const countsFolder = profiles ?? (await mkdtemp(join(tmpdir(), 'tallyhand-cost-')));
  if (!profiles) opening.defer(() => rm(countsFolder, { recursive: true, force: true }));
  const env = {
    OPENAI_BASE_URL: modelUrl,
    NODE_OPTIONS: `--import ${probe}`,
    COST_FOLDER: countsFolder,
    ...(profiles ? { COST_PROFILE: 'yes' } : {}),
  };
  const folder = opening.use(await productFolder(env, root));
  const { product } = await folder.start();
  opening.defer(() => product.stop());
  const opened = opening.move();
  const file = join(countsFolder, 'counts.json');
  return {
    product,
    async counts() {
      const before = await timeOf(file);
      const parts = partsBelow(product.pid);
      for (const pid of [...parts['event store'], ...parts.application])
        process.kill(pid, 'SIGUSR2');
      const deadline = performance.now() + ANSWER_MS_MAX;
      while ((await timeOf(file)) === before) {
        if (performance.now() > deadline) throw new Error('The application gave no counts');
        await pause(20);
      }
      return JSON.parse(await readFile(file, 'utf8')) as ProbeCounts;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const timeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

/** The figures of each side, of which each is the least of its rounds. */
async function measureUnit(sides: readonly Side[], unit: Unit): Promise<Figures[]> {
  const best: Figures[] = [];
  for (const { product } of sides) await run(unit, await unit.prepare(product.url));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, side] of sides.entries()) {
      const figures = await measureOnce(side, unit);
      const known = best[index];
      if (!known || figures.all.processorMs < known.all.processorMs) best[index] = figures;
    }
  }
  return best;
}

async function measureOnce({ product, counts }: Side, unit: Unit): Promise<Figures> {
  const prepared = await unit.prepare(product.url);
  const eventsBefore = await prepared.events();
  await pause(SETTLE_MS);
  const countsBefore = await counts();
  const threadsBefore = threadCosts(partsBelow(product.pid).application);
  const before = costsBelow(product.pid);
  await run(unit, prepared);
  // What projects and notes it belongs to it.
  await pause(SETTLE_MS);
  const parts = spent(before, costsBelow(product.pid));
  const threads = threadCosts(partsBelow(product.pid).application);
  const countsAfter = await counts();
  const eventsAfter = await prepared.events();
  await prepared.check?.();
  return {
    unit,
    parts,
    all: total(parts),
    counts: {
      statements: countsAfter.statements - countsBefore.statements,
      cryptoJobs: countsAfter.cryptoJobs - countsBefore.cryptoJobs,
      allocatedBytes: countsAfter.allocatedBytes - countsBefore.allocatedBytes,
      collectorMs: countsAfter.collectorMs - countsBefore.collectorMs,
    },
    threads: new Map([...threads].map(([name, ms]) => [name, ms - (threadsBefore.get(name) ?? 0)])),
    events: eventsAfter - eventsBefore,
  };
}

const THREADS_NAMED = 4;

function rowsOf(ours: Figures, theirs: Figures | null): Row[] {
  const { unit, threads } = ours;
  const beside = (textOf: (figures: Figures) => string) => [
    textOf(ours),
    theirs ? `before: ${textOf(theirs)}` : '',
  ];
  const share = theirs
    ? `, ${(ours.all.processorMs / theirs.all.processorMs).toFixed(3)} of before`
    : '';
  const named = [...threads].toSorted(([, a], [, b]) => b - a).slice(0, THREADS_NAMED);
  const lines: [what: string, texts: readonly string[]][] = [
    [`${unit.name}: processor time`, beside((figures) => timeText(figures, figures.all))],
    ['where it goes', beside(partsText)],
    [
      'threads of the application',
      [named.map(([name, ms]) => `${name} ${each(ms, unit, 2)}`).join(', ')],
    ],
    ['calls of read and of write, waits, kB', beside(callsText)],
    ['statements, WebCrypto jobs, events; allocated kB, collector ms', beside(countsText)],
  ];
  return lines.map(([what, [figure = '', bar = '']], at) =>
    row(what, at === 0 ? `${figure}${share}` : figure, bar),
  );
}

const each = (value: number, { count }: Unit, digits = 1) => (value / count).toFixed(digits);

const timeText = ({ unit }: Figures, { processorMs }: Costs) => `${each(processorMs, unit, 2)} ms`;

const partsText = (figures: Figures): string =>
  Object.entries(figures.parts)
    .map(([part, costs]) => `${part} ${timeText(figures, costs)}`)
    .join(', ');

const callsText = ({ unit, all: { reads, writes, waits, bytes } }: Figures): string =>
  [reads, writes, waits, bytes / 1024].map((value) => each(value, unit)).join(', ');

const countsText = ({ unit, counts, events }: Figures): string => {
  const { statements, cryptoJobs, allocatedBytes, collectorMs } = counts;
  const calls = [statements, cryptoJobs, events].map((value) => each(value, unit)).join(', ');
  return `${calls}; ${each(allocatedBytes / 1024, unit)}, ${each(collectorMs, unit, 2)}`;
};

/** After a while without calls, as most of the time of a small installation. */
async function idleRows({ pid }: RunningProduct): Promise<Row[]> {
  await pause(IDLE_MS);
  const before = costsBelow(pid);
  await pause(IDLE_MS);
  const parts = spent(before, costsBelow(pid));
  const aSecond = ({ processorMs }: Costs) => `${((processorMs * 1000) / IDLE_MS).toFixed(1)} ms`;
  const shares = Object.entries(parts).map(([part, costs]) => `${part} ${aSecond(costs)}`);
  return [
    row('idle, a second: processor time', aSecond(total(parts))),
    row('where it goes', shares.join(', ')),
  ];
}
