import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The operating system's view of a process, or undefined if it is dead. */
export type ProcessEntry = {
  /** Distinguishes two processes that had the same id at different times. */
  startMark: string;
  command: string;
};

/**
 * Looks a process up. A zombie counts as dead: it holds no file, port or memory any more, although
 * `kill(pid, 0)` finds it until its parent has reaped it.
 */
export function findProcess(pid: number): ProcessEntry | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return process.platform === 'linux' ? readProc(pid) : askPs(pid);
}

export function isRunning(pid: number): boolean {
  return findProcess(pid) !== undefined;
}

/** Resolves to true as soon as the process is gone, to false after `timeoutMs`. */
export async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isRunning(pid)) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

/** Sends a signal; an ended process is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function readProc(pid: number): ProcessEntry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, the name, may hold spaces and parentheses: count from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { startMark: fields[19] ?? '', command };
  } catch {
    return undefined;
  }
}

function askPs(pid: number): ProcessEntry | undefined {
  try {
    const args = ['-o', 'stat=,lstart=,command=', '-p', String(pid)];
    const line = execFileSync('ps', args, {
      encoding: 'utf8',
      env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 2000,
    });
    const match = /^(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/.exec(line.trim());
    if (!match || match[1]?.startsWith('Z')) return undefined;
    return { startMark: match[2] ?? '', command: match[3] ?? '' };
  } catch {
    return undefined;
  }
}
