import { workerData } from 'node:worker_threads';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import type { ExportTask } from './export-thread.ts';
import { writeExport } from './write-export.ts';

/** While a page is processed, the next one is read and the last one stored. */
const CONNECTIONS_MAX = 2;

/** The thread makes one export and ends, which frees its memory. */
const { url, signingKey, order, filter } = workerData as ExportTask;
const pool = openPool(url, CONNECTIONS_MAX);
try {
  await writeExport({ pool, signingKey }, order, filter);
} finally {
  await pool.end();
}
