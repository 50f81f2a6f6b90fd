import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../postgres/start-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The superuser's address of the one real PostgreSQL that tests share. */
    postgresUrl: string;
  }
}

/** Nobody needs the data after a crash of the machine; a crash of PostgreSQL does it no harm. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '300' };

/** One PostgreSQL for a whole run of tests; each test makes a database of its own in it. */
export async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'tallyhand-tests-'));
  // PostgreSQL does not run as root: its own user must be able to enter the folder.
  await chmod(folder, 0o755);
  const postgres = await startPostgres({
    dataDir: folder,
    password: 'for tests on loopback only',
    settings: SETTINGS,
  });
  project.provide('postgresUrl', postgres.url);
  return async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
