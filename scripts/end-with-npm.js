import { readFileSync } from 'node:fs';

const checkMs = 250;

/**
 * Ends this process, as SIGTERM would, when the npm that started it was killed: the next `npm
 * start` must not find the port and the data folder taken by a run without a terminal. Does nothing
 * when npm did not start it, or where /proc does not exist.
 */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_event || process.platform !== 'linux') return;
  const parent = process.ppid;
  // npm starts scripts by a shell, which outlives it.
  const npm = isShell(parent) ? parentOf(parent) : undefined;
  setInterval(() => {
    const isLeft = process.ppid !== parent || (npm !== undefined && parentOf(parent) !== npm);
    if (isLeft) process.kill(process.pid, 'SIGTERM');
  }, checkMs).unref();
}

function isShell(pid) {
  return /^\((ba|da|z|k|a)?sh\)$/.test(statOf(pid)?.name ?? '');
}

function parentOf(pid) {
  return statOf(pid)?.parent;
}

function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = stat.lastIndexOf(')') + 1;
    const parent = Number(stat.slice(end).trim().split(' ')[1]);
    return { name: stat.slice(stat.indexOf('('), end), parent };
  } catch {
    return undefined;
  }
}
