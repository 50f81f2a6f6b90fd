import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disk } from '@tallyhand/service-kit/disk-space';
import { backupFolderOf } from '../backup/backup-folder.ts';

/**
 * The data stored on this machine, each part possibly on its own mount. Long texts and exports of
 * audit logs are in the database; the backup's folder is that of the last one.
 */
export async function dataDisks(dataDir: string): Promise<readonly Disk[]> {
  const postgres = join(dataDir, 'postgres');
  const moved = await readFile(join(postgres, 'location'), 'utf8').catch(() => '');
  const backup = await backupFolderOf(dataDir);
  return [
    { purpose: 'data', folder: dataDir },
    { purpose: 'event-store', folder: join(dataDir, 'event-store') },
    { purpose: 'database', folder: moved.trim() || postgres },
    ...(backup ? [{ purpose: 'backup', folder: backup }] : []),
  ];
}
