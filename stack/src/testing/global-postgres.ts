import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../application/migrate.ts';
import { startPostgres } from '../postgres/start-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The superuser's address of the one real PostgreSQL that tests share. */
    postgresUrl: string;
    /** The database with all tables of which tests get copies. */
    migratedDatabase: string;
  }
}

/** The data need not survive a crash of the machine; a crash of PostgreSQL does it no harm. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  max_wal_size: '256MB',
};

/** A file system in memory, where each new database costs half as much as on a disk. */
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_BYTES_MIN = 4 * 1024 ** 3;

/** One PostgreSQL for a whole run of tests; each test creates a separate database in it. */
export async function setup(project: TestProject) {
  const folder = await mkdtemp(join(await parentFolder(), 'tallyhand-tests-'));
  // PostgreSQL does not run as root: its own user must be able to enter the folder.
  await chmod(folder, 0o755);
  const postgres = await startPostgres({
    dataDir: folder,
    password: 'for tests on loopback only',
    settings: SETTINGS,
  });
  project.provide('postgresUrl', postgres.url);
  project.provide('migratedDatabase', await makeMigrated(postgres.url));
  return async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

async function parentFolder(): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(MEMORY_FOLDER);
    if (bavail * bsize >= MEMORY_BYTES_MIN) return MEMORY_FOLDER;
  } catch {
    // Not every system has the folder.
  }
  return tmpdir();
}

/** No connection is left afterwards: PostgreSQL copies no database that is in use. */
async function makeMigrated(superuser: string): Promise<string> {
  const name = 'migrated';
  const client = new Client({ connectionString: superuser });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(superuser);
  url.pathname = `/${name}`;
  await migrate(url.href, randomBytes(32).toString('base64url'));
  return name;
}
