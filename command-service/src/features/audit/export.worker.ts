import { workerData } from 'node:worker_threads';
import { auditKeySource } from '@tallyhand/service-kit/audit-keys/key-settings';
import { auditSigning } from '@tallyhand/service-kit/audit-keys/signing';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import type { ExportTask } from './export-thread.ts';
import { writeExport } from './write-export.ts';

/** While a page is processed, the next one is read and the last one stored. */
const CONNECTIONS_MAX = 2;

/** The thread makes one export and ends, which frees its memory. */
const { url, auditKey, order, filter } = workerData as ExportTask;
const pool = openPool(url, CONNECTIONS_MAX);
try {
  const signing = auditSigning({ pool, source: auditKeySource(auditKey) });
  await writeExport({ pool, signing }, order, filter);
} finally {
  await pool.end();
}
