import { noteObservations } from '@tallyhand/contracts/features/audit/observations.endpoints';
import type { Observation } from '@tallyhand/contracts/kernel/observation';
import { bearer } from '@tallyhand/service-kit/http/service-token';
import { errorFields, type Log } from '@tallyhand/service-kit/log';

/** Reads come in bursts; their observations are sent together. */
const COLLECT_MS = 1_000;
const RETRY_MS = 5_000;
const TIMEOUT_MS = 10_000;
const RECORDED = noteObservations.status;
/** The limit of one call. */
const AT_ONCE_MAX = 1_000;
/**
 * The oldest are dropped beyond this: a long outage of the command service must not cost memory.
 */
const WAITING_MAX = 20_000;

export type Observer = AsyncDisposable & {
  /** Returns immediately and never throws. */
  readonly observe: (observation: Observation) => void;
  /** Sends one at once. Rejects unless the command service has recorded it. */
  readonly record: (observation: Observation) => Promise<void>;
};

export type ObserverOptions = {
  readonly commandServiceUrl: string;
  readonly internalToken: string;
  readonly log: Log;
  readonly collectMs?: number;
  readonly retryMs?: number;
};

/** Sends observations of reads in batches to a command service in another process. */
export function observationSender({
  commandServiceUrl,
  internalToken,
  log,
  collectMs = COLLECT_MS,
  retryMs = RETRY_MS,
}: ObserverOptions): Observer {
  const waiting: Observation[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  async function statusOf(observations: readonly Observation[]) {
    const response = await fetch(new URL(noteObservations.path, commandServiceUrl), {
      method: noteObservations.method,
      headers: { 'content-type': 'application/json', authorization: bearer(internalToken) },
      body: JSON.stringify({ observations }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    await response.arrayBuffer();
    return response.status;
  }

  /** Throws if a retry may succeed. */
  async function send(observations: readonly Observation[]) {
    const status = await statusOf(observations);
    if (status === RECORDED) return;
    if (status >= 500 || status === 429) throw new Error(`Observations were answered ${status}`);
    // If kept, these would be refused forever and block later observations.
    log.error('observations of reads were refused and dropped', { status });
  }

  async function sendWaiting(): Promise<boolean> {
    while (waiting.length > 0) {
      const some = waiting.splice(0, AT_ONCE_MAX);
      try {
        await send(some);
      } catch (error) {
        waiting.unshift(...some);
        log.warn('observations of reads wait', errorFields(error));
        return false;
      }
    }
    return true;
  }

  function sendSoon(ms: number) {
    timer ??= setTimeout(() => {
      sending = sendWaiting().then((isDone) => {
        timer = undefined;
        if (waiting.length > 0) sendSoon(isDone ? collectMs : retryMs);
      });
    }, ms);
  }

  return {
    observe(observation) {
      waiting.push(observation);
      if (waiting.length > WAITING_MAX) waiting.shift();
      sendSoon(collectMs);
    },
    async record(observation) {
      const status = await statusOf([observation]);
      if (status !== RECORDED) throw new Error(`An observation was answered ${status}`);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await sending;
      clearTimeout(timer);
      await sendWaiting();
    },
  };
}
