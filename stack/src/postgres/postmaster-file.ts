import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProcess, signalProcess, waitUntilGone } from './process-table.ts';

/** PostgreSQL's record of its running server, postmaster.pid. */
export type PostmasterFile = { pid: number; port: number; isReady: boolean };

export function readPostmasterFile(cluster: string): PostmasterFile | undefined {
  const lines = readLines(cluster);
  if (!lines) return undefined;
  return { pid: Number(lines[0]), port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

/**
 * Stops a server that a killed launcher left behind, so that the folder is free. The caller holds
 * the lock of the data folder, so any server on it has lost its owner.
 */
export async function stopOrphan(cluster: string, log: (line: string) => void): Promise<void> {
  const found = readPostmasterFile(cluster);
  if (!found) return;
  if (!isServerOf(found.pid, cluster)) return disown(cluster);
  log(`stopping the database server that an earlier run left behind (process ${found.pid})`);
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    signalProcess(found.pid, signal);
    if (await waitUntilGone(found.pid, 4000)) break;
  }
  if (readPostmasterFile(cluster)?.pid === found.pid) disown(cluster);
}

/**
 * Makes PostgreSQL see that the process named in the file is not a server of this folder: it may be
 * a zombie that is never reaped (a container without an init process), or another program with the
 * same number. PostgreSQL treats its own parent's number as stale; removing the file would also
 * remove its check that no backend of the killed server is still alive.
 */
function disown(cluster: string): void {
  const lines = readLines(cluster);
  if (!lines) return;
  lines[0] = String(process.pid);
  writeFileSync(join(cluster, 'postmaster.pid'), lines.join('\n'));
}

function isServerOf(pid: number, cluster: string): boolean {
  const command = findProcess(pid)?.command ?? '';
  return command.includes('postgres') && command.includes(cluster);
}

function readLines(cluster: string): string[] | undefined {
  try {
    return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
}
