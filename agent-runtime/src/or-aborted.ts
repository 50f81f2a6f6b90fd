/**
 * Settles with the work, or rejects with the signal's reason as soon as it is aborted: for work that
 * can't be stopped, but that no caller has to wait for.
 */
export async function orAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return await work;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
    work.catch(() => undefined);
  }
}
