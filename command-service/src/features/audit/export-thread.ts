import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LogFilter } from './log-pages.ts';
import type { ExportOrder } from './write-export.ts';

/** What the thread is given. */
export type ExportTask = {
  /** The database as the command service uses it. */
  readonly url: string;
  readonly signingKey: string;
  readonly order: ExportOrder;
  readonly filter: LogFilter;
};

const resourceLimits = {
  // Pages are garbage soon. The process's own heap would take more than 100 MB of it before it
  // looks; a small one looks often.
  maxYoungGenerationSizeMb: 8,
  // Hardly used: for a page full of long texts. Beyond it the export fails, and nothing else.
  maxOldGenerationSizeMb: 512,
};

/**
 * Makes an export in a thread of its own, so that neither memory nor answers of the process depend on
 * how long the log is. Rejects with what made it fail, or with the signal's reason when aborted.
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
