import { workerData } from 'node:worker_threads';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import type { ExportTask } from './export-thread.ts';
import { writeExport } from './write-export.ts';

/** While a page is worked on, the next one is read and the last one kept. */
const CONNECTIONS_MAX = 2;

/** A thread that makes one export and is then gone, with all the memory that it took. */
const { url, signingKey, order, filter } = workerData as ExportTask;
const pool = openPool(url, CONNECTIONS_MAX);
try {
  await writeExport({ pool, signingKey }, order, filter);
} finally {
  await pool.end();
}
