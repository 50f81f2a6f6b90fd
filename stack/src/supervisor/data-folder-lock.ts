import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Locks a data folder for this process; throws if another one has it. SQLite holds the lock by the
 * operating system's means, so it ends with its process, even after SIGKILL.
 */
export function lockDataFolder(dataDir: string): { release(): void } {
  const database = new DatabaseSync(join(dataDir, 'supervisor.lock'));
  const ownerFile = join(dataDir, 'supervisor.pid');
  try {
    // A process that is about to end gets a moment to do so.
    database.exec('PRAGMA busy_timeout = 1500; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!/locked|busy/.test(String(error))) throw error;
    throw new Error(
      `Tallyhand runs already on the data folder ${dataDir}${ownerText(ownerFile)}. ` +
        'Stop it first, or set DATA_DIR to another folder.',
    );
  }
  writeFileSync(ownerFile, String(process.pid));
  return {
    release() {
      rmSync(ownerFile, { force: true });
      database.close();
    },
  };
}

function ownerText(ownerFile: string): string {
  try {
    return ` (process ${readFileSync(ownerFile, 'utf8')})`;
  } catch {
    return '';
  }
}
