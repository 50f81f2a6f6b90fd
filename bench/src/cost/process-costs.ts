import { readdirSync, readFileSync } from 'node:fs';
import { endedChildrenMs, processorMs, treeOf } from '../processes.ts';

/** What processes have used so far, with their children that have ended. */
export type Costs = {
  readonly processorMs: number;
  readonly reads: number;
  readonly writes: number;
  readonly bytes: number;
  /** How often a thread waited for something; not of those that have ended. */
  readonly waits: number;
};

const NOTHING: Costs = { processorMs: 0, reads: 0, writes: 0, bytes: 0, waits: 0 };

export const PARTS = ['application', 'event store', 'PostgreSQL'] as const;
export type Part = (typeof PARTS)[number];
export type CostsByPart = Readonly<Record<Part, Costs>>;

/** The processes of a product below `root`, by what they do. */
export function partsBelow(root: number): Readonly<Record<Part, readonly number[]>> {
  const found = Object.groupBy(treeOf(root), (pid) => partOf(pid) ?? 'other');
  return Object.fromEntries(PARTS.map((part) => [part, found[part] ?? []])) as never;
}

function partOf(pid: number): Part | null {
  const command = commandOf(pid);
  if (/(^|\/)postgres[: ]/.test(command)) return 'PostgreSQL';
  if (command.includes('application.main.ts')) return 'application';
  return command.includes('event-store/src/main.ts') ? 'event store' : null;
}

/** Of all parts at this moment. A connection of PostgreSQL is a process. */
export function costsBelow(root: number): CostsByPart {
  const parts = partsBelow(root);
  return Object.fromEntries(
    PARTS.map((part) => [part, parts[part].map(costsOf).reduce(sum, NOTHING)]),
  ) as never;
}

/** The command line of a process; empty once it has ended. */
export const commandOf = (pid: number): string => textOf(pid, 'cmdline').replaceAll('\0', ' ');

function costsOf(pid: number): Costs {
  const io = textOf(pid, 'io');
  const waits = threadsOf(pid).map((thread) =>
    numberIn(textOf(pid, `task/${thread}/status`), 'voluntary_ctxt_switches'),
  );
  return {
    processorMs: processorMs(pid) + endedChildrenMs(pid),
    // The counts of a process include those of its children that have ended.
    reads: numberIn(io, 'syscr'),
    writes: numberIn(io, 'syscw'),
    bytes: numberIn(io, 'rchar') + numberIn(io, 'wchar'),
    waits: waits.reduce((total, one) => total + one, 0),
  };
}

/** Processor time by the names of threads, of all processes of a part. */
export function threadCosts(pids: readonly number[]): ReadonlyMap<string, number> {
  const costs = new Map<string, number>();
  for (const pid of pids) {
    for (const thread of threadsOf(pid)) {
      const name = textOf(pid, `task/${thread}/comm`).trim();
      costs.set(name, (costs.get(name) ?? 0) + processorMs(`${pid}/task/${thread}`));
    }
  }
  return costs;
}

const sum = (a: Costs, b: Costs): Costs => combined(a, b, (one, other) => one + other);
const difference = (a: Costs, b: Costs): Costs => combined(a, b, (one, other) => one - other);

export const spent = (before: CostsByPart, after: CostsByPart): CostsByPart =>
  Object.fromEntries(PARTS.map((part) => [part, difference(after[part], before[part])])) as never;

export const total = (costs: CostsByPart): Costs => Object.values(costs).reduce(sum, NOTHING);

function combined(a: Costs, b: Costs, combine: (a: number, b: number) => number): Costs {
  const names = Object.keys(NOTHING) as (keyof Costs)[];
  return Object.fromEntries(names.map((name) => [name, combine(a[name], b[name])])) as never;
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}

const numberIn = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
