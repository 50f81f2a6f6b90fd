import { readdirSync, readFileSync } from 'node:fs';

/** Of `/proc`: a hundredth of a second. */
const TICK_MS = 10;

/** What a process or thread (`PID/task/TID`) has used of processors so far; 0 once it has ended. */
export function processorMs(pid: number | string): number {
  const [user = 0, system = 0] = statOf(pid).slice(11, 13).map(Number);
  return (user + system) * TICK_MS;
}

/** The same of its children that have ended. */
export function endedChildrenMs(pid: number): number {
  const [user = 0, system = 0] = statOf(pid).slice(13, 15).map(Number);
  return (user + system) * TICK_MS;
}

/** A process and all below it. */
export function treeOf(root: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = Map.groupBy(pids.map(Number), (pid) => Number(statOf(pid)[1] ?? 0));
  const below = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(below)];
  return below(root);
}

/** The fields of a process behind its name, the state first. */
function statOf(pid: number | string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** Memory of a process and all below it, shared pages counted by share. */
export const pssMb = (root: number): number =>
  treeOf(root).reduce((total, pid) => total + pssKb(pid), 0) / 1024;

function pssKb(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}
