import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { AuditKeySettings } from '@tallyhand/service-kit/audit-keys/key-settings';
import type { LogFilter } from './log-pages.ts';
import type { ExportOrder } from './write-export.ts';

/** The input of the thread. */
export type ExportTask = {
  /** The database, with the rights of the command service. */
  readonly url: string;
  readonly auditKey: AuditKeySettings;
  readonly order: ExportOrder;
  readonly filter: LogFilter;
};

const resourceLimits = {
  // Pages become garbage quickly. The process's heap would keep more than 100 MB of it before a
  // collection; a small heap collects often.
  maxYoungGenerationSizeMb: 8,
  // Enough for pages of long texts. With more, only the export fails.
  maxOldGenerationSizeMb: 512,
};

/**
 * Makes an export in a thread, so that memory and response times of the process do not depend on the
 * length of the log. Rejects with the thread's error, or with the signal's reason.
 */
export async function writeExportInThread(task: ExportTask, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./export.worker.ts', import.meta.url), {
    workerData: task,
    resourceLimits,
  });
  const stop = () => void worker.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const [code] = await once(worker, 'exit');
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`The thread of an export ended with ${code}`);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
