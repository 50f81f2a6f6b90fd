import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProcess, signalProcess, waitUntilGone } from '../postgres/process-table.ts';

type Entry = { name: string; pid: number; startMark: string };

/** Keeps the list of child processes in the data folder, for the next start to clean up. */
export function createProcessList(dataDir: string) {
  const file = join(dataDir, 'processes.json');
  const entries = new Map<string, Entry>();
  return {
    note(name: string, pid: number): void {
      const startMark = findProcess(pid)?.startMark;
      if (startMark === undefined) return;
      entries.set(name, { name, pid, startMark });
      writeFileSync(`${file}.new`, JSON.stringify([...entries.values()]));
      renameSync(`${file}.new`, file);
    },
  };
}

/**
 * Ends the leftovers of an earlier, killed run. Its children exit on their own, so they get some
 * seconds before SIGKILL. The caller holds the lock of the data folder. True if there was something
 * to end.
 */
export async function endLeftovers(dataDir: string, log: (line: string) => void): Promise<boolean> {
  let found = false;
  for (const { name, pid, startMark } of readEntries(join(dataDir, 'processes.json'))) {
    // The number may belong to another program by now.
    if (findProcess(pid)?.startMark !== startMark) continue;
    found = true;
    if (await waitUntilGone(pid, 3000)) continue;
    log(`ending the ${name} that an earlier run left behind (process ${pid})`);
    signalProcess(pid, 'SIGKILL');
    await waitUntilGone(pid, 5000);
  }
  return found;
}

function readEntries(file: string): Entry[] {
  if (!existsSync(file)) return [];
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
}
