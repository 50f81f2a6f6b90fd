import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type { BrowserHost, SessionBrowser } from '../session-browser.ts';
import {
  answered,
  type BrowserAnswer,
  type BrowserCall,
  browserOperation,
} from './browser-operation.ts';

/** Browsers of tools at once, beside those of the sessions. */
const BROWSERS_MAX = 4;
const IDLE_MS_MAX = 120_000;
const CALL_MS_MAX = 55_000;

export type BrowserCalls = AsyncDisposable & {
  call(call: BrowserCall, signal: AbortSignal): Promise<BrowserAnswer>;
  close(browserId: string): Promise<void>;
};

type Entry = {
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
  const entries = new Map<string, Entry>();

  async function close(browserId: string) {
    const entry = entries.get(browserId);
    if (!entry) return;
    entries.delete(browserId);
    clearTimeout(entry.idle);
    const browser = await entry.browser.catch(() => null);
    await browser?.[Symbol.asyncDispose]();
  }

  /** Null where all browsers are at work. */
  async function entryFor(browserId: string): Promise<Entry | null> {
    const known = entries.get(browserId);
    if (known) return known;
    if (entries.size >= BROWSERS_MAX) {
      const idle = [...entries].filter(([, { calls }]) => calls === 0);
      const oldest = idle.toSorted(([, a], [, b]) => a.usedAt - b.usedAt)[0];
      if (!oldest) return null;
      void close(oldest[0]);
    }
    const browser = host.open();
    const entry: Entry = { browser, last: Promise.resolve(), calls: 0, usedAt: 0 };
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

  return {
    async call(asked, signal) {
      const entry = await entryFor(asked.browserId);
      if (!entry) return answered(false, 'All browsers are at work. Try again in a moment.');
      clearTimeout(entry.idle);
      entry.calls += 1;
      const work = entry.last.then(() => run(entry, asked, signal));
      entry.last = work;
      const answer = await work;
      entry.calls -= 1;
      entry.usedAt = performance.now();
      entry.idle = setTimeout(() => void close(asked.browserId), idleMsMax).unref();
      return answer;
    },
    close,
    async [Symbol.asyncDispose]() {
      await Promise.all([...entries.keys()].map(close));
    },
  };
}
