import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';

export const BACKUP_FORMAT = 'tallyhand backup';
/** Raised when a backup is no longer readable by older releases. */
export const BACKUP_VERSION = 1;

export const MANIFEST_FILE = 'manifest.json';
export const MANIFEST_HASH_FILE = 'manifest.sha256';
export const SECRETS_FILE = 'secrets.sealed';
export const EVENTS_FOLDER = 'events';
export const TABLES_FOLDER = 'tables';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The common head of the manifests of all releases. */
export const ManifestHead = z.looseObject({
  format: z.literal(BACKUP_FORMAT),
  version: z.int().min(1),
});

export const Manifest = z.strictObject({
  format: z.literal(BACKUP_FORMAT),
  version: z.literal(BACKUP_VERSION),
  madeAt: z.iso.datetime(),
  /** Events are at the positions 1 to `events`; the tables are those at the last. */
  eventStore: z.strictObject({ events: z.int().min(0), streams: z.int().min(0) }),
  /** Steps of the operational schema that the tables had behind them, in their order. */
  migrations: z.array(z.string()),
  tables: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-z_]+\.[a-z_]+$/),
      columns: z.array(z.string()),
      rows: z.int().min(0),
    }),
  ),
  hasSecrets: z.boolean(),
  /** All files beside the manifest and the secrets, in reading order. */
  files: z.array(z.strictObject({ name: z.string(), bytes: z.int(), sha256: Sha256 })),
});
export type Manifest = z.infer<typeof Manifest>;
export type TableEntry = Manifest['tables'][number];

/** Works on a separate connection. */
export async function withClient<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

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
