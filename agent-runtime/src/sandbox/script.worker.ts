import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { startGuest } from './guest.ts';
import { forGuest, forOthers } from './guest-messages.ts';
import type { ThreadTask } from './thread-messages.ts';

/** A thread that runs one script, and is ended by the thread that made it. */
if (parentPort !== null) {
  // The thread is ended from outside, which would not keep what it has compiled.
  flushCompileCache();
  const host = parentPort;
  const task = workerData as ThreadTask;
  const fit = forOthers(task.secrets);
  const take = await startGuest(task, (message) => host.postMessage(fit(message)));
  const masked = forGuest(task.secrets);
  host.on('message', (message) => take(masked(message)));
}
