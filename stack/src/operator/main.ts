import { fileURLToPath } from 'node:url';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import { deriveConfig } from '../supervisor/config.ts';
import { runningProduct } from './running-product.ts';

type Parts = { readonly pool: pg.Pool; readonly eventStoreReaderUrl: string };

/**
 * The lifecycle of a command's process that talks to the running projector, with its rights; a
 * command that returns false, or throws, exits with status 1.
 */
export async function runOperatorCommand(
  command: (args: readonly string[], parts: Parts) => Promise<boolean>,
): Promise<void> {
  try {
    const baseDir = fileURLToPath(new URL('../../../', import.meta.url));
    const config = deriveConfig(readEnvironment(), baseDir);
    const { databaseUrl, masterKey, eventStoreReaderUrl } = runningProduct(config);
    const pool = openPool(roleUrl(databaseUrl, masterKey, 'projector'), 1);
    try {
      if (!(await command(process.argv.slice(2), { pool, eventStoreReaderUrl })))
        process.exitCode = 1;
    } finally {
      await pool.end();
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
