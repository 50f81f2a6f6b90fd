import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const noteOf = (dataDir: string) => join(dataDir, 'backup-folder');

/** So that the product can monitor its disk. A failure to record it does not affect the backup. */
export async function noteBackupFolder(dataDir: string, folder: string): Promise<void> {
  await writeFile(noteOf(dataDir), `${folder}\n`).catch(() => {});
}

/** Where the last backup was written to; null where none was. */
export const backupFolderOf = (dataDir: string): Promise<string | null> =>
  readFile(noteOf(dataDir), 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
