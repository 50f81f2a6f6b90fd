import { errorFields, type Log } from '@tallyhand/service-kit/log';

/** Does the work again and again, one round after the other, until it is disposed of. */
export function recurring(
  { everyMs, failed, log }: { everyMs: number /** What is logged. */; failed: string; log: Log },
  work: () => Promise<void>,
): AsyncDisposable {
  let closed = false;
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();

  function next() {
    if (closed) return;
    timer = setTimeout(() => {
      running = work()
        .catch((error) => log.warn(failed, errorFields(error)))
        .then(next);
    }, everyMs);
  }

  next();
  return {
    async [Symbol.asyncDispose]() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
