import { Worker } from 'node:worker_threads';
import { ImportRefused } from './import-refused.ts';
import { counted, type Imported } from './imported.ts';
import type { FromImportThread, ToImportThread } from './thread-messages.ts';

const memoryCheckMs = 50;
const megabyte = 1024 * 1024;

/**
 * Reads one file in a thread and ends it, whatever happens. Rejects with ImportRefused: the
 * thread's reason, `timeout` or `bomb` when it used too much; with the signal's reason when
 * aborted; with any other error for a bug.
 */
export async function readInThread(
  thread: URL,
  task: ToImportThread,
  signal: AbortSignal,
): Promise<Imported> {
  signal.throwIfAborted();
  const { timeoutMsMax, memoryMbMax } = task.limits;
  const worker = new Worker(thread, {
    workerData: task,
    env: {},
    stdin: false,
    stdout: true,
    stderr: true,
    // The engine ends the whole process when one allocation goes far beyond its own limit: that
    // is the second line, and the first is the check below.
    resourceLimits: { maxOldGenerationSizeMb: memoryMbMax * 2 },
  });
  // What libraries complain about is of no use; unread, it would only pile up.
  worker.stdout.resume();
  worker.stderr.resume();
  const { promise, resolve, reject } = Promise.withResolvers<Imported>();
  const abort = () => reject(signal.reason);
  const deadline = setTimeout(() => reject(tooSlow(timeoutMsMax)), timeoutMsMax);
  const memory = setInterval(() => {
    void memoryOf(worker).then((used) => {
      if (used > memoryMbMax * megabyte) reject(tooBig());
    });
  }, memoryCheckMs);
  signal.addEventListener('abort', abort, { once: true });
  worker.on('message', (message: FromImportThread) => {
    if (message.kind === 'imported') resolve(message.imported);
    else reject(new ImportRefused(message.code, message.sentence));
  });
  worker.on('error', (error) => reject(isOutOfMemory(error) ? tooBig() : error));
  worker.on('exit', () => reject(new Error('The import thread ended without an answer.')));
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    clearInterval(memory);
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

/** The limits of the engine leave buffers out, in which libraries unpack what they read. */
async function memoryOf(worker: Worker): Promise<number> {
  try {
    const { used_heap_size: heap, external_memory: buffers } = await worker.getHeapStatistics();
    return heap + buffers;
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

function tooSlow(timeoutMsMax: number): ImportRefused {
  const seconds = counted(timeoutMsMax / 1000, 'second', 'seconds');
  return new ImportRefused('timeout', `Reading the file took longer than ${seconds}.`);
}

const tooBig = () => new ImportRefused('bomb', 'Reading the file needs too much memory.');
