import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { ImportRefused } from './import-refused.ts';
import type { FromImportThread, ToImportThread } from './imported.ts';
import { readSource } from './read-source.ts';

/** A thread for one file, so that no state outlasts the file. */
const { source, limits } = workerData as ToImportThread;

async function answer(): Promise<FromImportThread> {
  try {
    return { kind: 'imported', imported: await readSource(source, limits) };
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    return { kind: 'refused', code: error.code, sentence: error.sentence };
  }
}

// Libraries leave unhandled rejections behind for damaged files: only the answer counts.
process.on('unhandledRejection', () => {});
const answered = await answer();
// The thread is ended from outside, which would not keep what it has compiled.
flushCompileCache();
parentPort?.postMessage(answered);
