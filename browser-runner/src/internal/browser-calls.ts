import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import { FairQueue, type FairQueueLimits, QueueFull } from '@tallyhand/service-kit/fair-queue';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type { BrowserHost, SessionBrowser } from '../session-browser.ts';
import {
  answered,
  type BrowserAnswer,
  type BrowserCall,
  browserOperation,
} from './browser-operation.ts';

/**
 * Concurrent browsers of tools, beside those of the sessions; also the limit of concurrent calls.
 */
const BROWSERS_MAX = 6;
const LIMITS: FairQueueLimits = {
  concurrency: BROWSERS_MAX,
  concurrencyPerOrganization: 4,
  waitingMax: 128,
  waitingPerOrganizationMax: 32,
};
const IDLE_MS_MAX = 120_000;
const CALL_MS_MAX = 55_000;

export type BrowserCalls = AsyncDisposable & {
  call(call: BrowserCall, signal: AbortSignal): Promise<BrowserAnswer>;
  close(browserId: string): Promise<void>;
};

type Entry = {
  readonly organizationId: string;
  readonly browser: Promise<SessionBrowser>;
  /** The calls so far: one after the other. */
  last: Promise<unknown>;
  calls: number;
  usedAt: number;
  idle?: NodeJS.Timeout;
};

/** Browsers for the tools of tasks and chats: one for each piece of work, closed when it idles. */
export function browserCalls(
  host: BrowserHost,
  log: Log,
  { idleMsMax = IDLE_MS_MAX, callMsMax = CALL_MS_MAX } = {},
): BrowserCalls {
  const queue = new FairQueue('tool-browsers', LIMITS);
  const entries = new Map<string, Entry>();

  async function close(browserId: string) {
    const entry = entries.get(browserId);
    if (!entry) return;
    entries.delete(browserId);
    clearTimeout(entry.idle);
    const browser = await entry.browser.catch(() => null);
    await browser?.[Symbol.asyncDispose]();
  }

  function entryFor({ browserId, organizationId }: BrowserCall): Entry {
    const known = entries.get(browserId);
    if (known) return known;
    // One of them is idle: there are at most as many calls as browsers, and this is one of the
    // calls.
    const idling = entries.size >= BROWSERS_MAX ? idlingIn(entries) : undefined;
    if (idling !== undefined) void close(idling);
    const browser = host.open(organizationId);
    const entry: Entry = {
      organizationId,
      browser,
      last: Promise.resolve(),
      calls: 0,
      usedAt: 0,
    };
    entries.set(browserId, entry);
    const forget = () => {
      if (entries.get(browserId) === entry) void close(browserId);
    };
    browser.then(({ lost }) => lost.then(forget), forget);
    return entry;
  }

  async function run(entry: Entry, asked: BrowserCall, caller: AbortSignal) {
    const tooLate = AbortSignal.timeout(callMsMax);
    const signal = AbortSignal.any([caller, tooLate]);
    try {
      const browser = await orAborted(entry.browser, signal);
      const lost = browser.lost.then(({ text }) => answered(false, text));
      return await orAborted(
        Promise.race([browserOperation(browser, asked, signal), lost]),
        signal,
      );
    } catch (error) {
      if (tooLate.aborted) return answered(false, 'The page took too long.');
      if (!caller.aborted) log.error('a browser tool failed', errorFields(error));
      return answered(false, 'Something went wrong in the browser.');
    }
  }

  async function callNow(asked: BrowserCall, signal: AbortSignal) {
    const entry = entryFor(asked);
    clearTimeout(entry.idle);
    entry.calls += 1;
    const work = entry.last.then(() => run(entry, asked, signal));
    entry.last = work;
    const answer = await work;
    entry.calls -= 1;
    entry.usedAt = performance.now();
    entry.idle = setTimeout(() => void close(asked.browserId), idleMsMax).unref();
    return answer;
  }

  return {
    async call(asked, signal) {
      try {
        return await queue.run(asked.organizationId, () => callNow(asked, signal), { signal });
      } catch (error) {
        if (error instanceof QueueFull) return answered(false, error.message);
        throw error;
      }
    },
    close,
    async [Symbol.asyncDispose]() {
      await Promise.all([...entries.keys()].map(close));
    },
  };
}

/** Of the organization that has the most browsers, the one that has idled longest. */
function idlingIn(entries: ReadonlyMap<string, Entry>): string | undefined {
  const ofEach = Map.groupBy(entries, ([, { organizationId }]) => organizationId);
  return [...ofEach.values()]
    .toSorted((a, b) => b.length - a.length)
    .flatMap((own) => own.toSorted(([, a], [, b]) => a.usedAt - b.usedAt))
    .find(([, { calls }]) => calls === 0)?.[0];
}
