/** Longer timers would end at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Ends `controller` with what `reason` makes after that time; cleared by the returned function. */
export function timer(ms: number, end: () => void): () => void {
  const id = setTimeout(end, Math.min(Math.max(ms, 0), TIMER_MS_MAX));
  return () => clearTimeout(id);
}

/** Waits; a signal that aborts ends the wait with its reason. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const clear = timer(ms, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    const abort = () => {
      clear();
      reject(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** What `Retry-After` says, in milliseconds. A date counts from the answer's own, whatever our clock says. */
export function retryAfterMs({ headers }: Response): number | undefined {
  const text = headers.get('retry-after')?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!text.endsWith(' GMT')) return undefined;
  const sent = Date.parse(headers.get('date') ?? '');
  const ms = Date.parse(text) - (Number.isNaN(sent) ? Date.now() : sent);
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}

const BACKOFF_MS_MIN = 500;
const BACKOFF_MS_MAX = 8_000;

/** Twice as long each time, with jitter, so that many clients do not come back at once. */
export const backoffMs = (attempt: number): number =>
  Math.min(BACKOFF_MS_MIN * 2 ** attempt, BACKOFF_MS_MAX) * (0.5 + Math.random() / 2);
