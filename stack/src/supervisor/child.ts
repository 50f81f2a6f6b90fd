import { isMainThread } from 'node:worker_threads';

/**
 * Loaded (`--import`) into every child of the supervisor: ends the child, as SIGTERM would, when
 * the supervisor is gone, however it died. Without it a killed supervisor would leave children
 * that hold the port and the data folder.
 */
const endMsMax = 4000;

if (isMainThread && process.channel) {
  process.once('disconnect', () => {
    // A child that hangs must end too.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), endMsMax).unref();
    // A program that listens for the end of its channel stops on its own.
    if (process.listenerCount('disconnect') === 0) process.kill(process.pid, 'SIGTERM');
  });
  // Listening must not keep a finished program alive.
  process.channel.unref();
}
