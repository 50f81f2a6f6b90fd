import type { PageView } from '@tallyhand/agent-runtime/browsing/planner';
import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import {
  BROWSER_TOOL_ARGS,
  type callBrowserTool,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { AnswerOf, BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { FairQueue, type FairQueueLimits } from '@tallyhand/service-kit/fair-queue';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { cutText } from '../loop/step-report.ts';
import type { BrowserHost, PageAction, SessionBrowser } from '../session-browser.ts';

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
export class BrowserCalls implements AsyncDisposable {
  readonly #host: BrowserHost;
  readonly #log: Log;
  readonly #idleMsMax: number;
  readonly #callMsMax: number;
  readonly #queue = new FairQueue('tool-browsers', LIMITS);
  readonly #entries = new Map<string, Entry>();

  constructor(
    host: BrowserHost,
    log: Log,
    { idleMsMax = IDLE_MS_MAX, callMsMax = CALL_MS_MAX } = {},
  ) {
    this.#host = host;
    this.#log = log;
    this.#idleMsMax = idleMsMax;
    this.#callMsMax = callMsMax;
  }

  async call(call: BrowserCall, signal: AbortSignal): Promise<BrowserAnswer> {
    const work = () => this.#callNow(call, signal);
    const answer = await this.#queue.tryRun(call.organizationId, work, { signal });
    return isRefusal(answer) ? answered(false, answer.detail) : answer;
  }

  async close(browserId: string): Promise<void> {
    const entry = this.#entries.get(browserId);
    if (!entry) return;
    this.#entries.delete(browserId);
    clearTimeout(entry.idle);
    const browser = await entry.browser.catch(() => null);
    await browser?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose]() {
    await Promise.all([...this.#entries.keys()].map((browserId) => this.close(browserId)));
  }

  async #callNow(call: BrowserCall, signal: AbortSignal) {
    const entry = this.#entryFor(call);
    clearTimeout(entry.idle);
    entry.calls += 1;
    const work = entry.last.then(() => this.#run(entry, call, signal));
    entry.last = work;
    const answer = await work;
    entry.calls -= 1;
    entry.usedAt = performance.now();
    const close = () => void this.close(call.browserId);
    entry.idle = setTimeout(close, this.#idleMsMax).unref();
    return answer;
  }

  #entryFor({ browserId, organizationId }: BrowserCall): Entry {
    const known = this.#entries.get(browserId);
    if (known) return known;
    // With all browsers in use, one of them is idle: there are no more calls than browsers, and
    // this is one of the calls.
    const idle = this.#entries.size >= BROWSERS_MAX ? longestIdle(this.#entries) : undefined;
    if (idle !== undefined) void this.close(idle);
    const browser = this.#host.open(organizationId);
    const entry: Entry = { organizationId, browser, last: Promise.resolve(), calls: 0, usedAt: 0 };
    this.#entries.set(browserId, entry);
    const forget = () => {
      if (this.#entries.get(browserId) === entry) void this.close(browserId);
    };
    browser.then(({ lost }) => lost.then(forget), forget);
    return entry;
  }

  async #run(entry: Entry, call: BrowserCall, caller: AbortSignal) {
    const tooLate = AbortSignal.timeout(this.#callMsMax);
    const signal = AbortSignal.any([caller, tooLate]);
    try {
      const browser = await orAborted(entry.browser, signal);
      const lost = browser.lost.then(({ text }) => answered(false, text));
      return await orAborted(Promise.race([browserOperation(browser, call, signal), lost]), signal);
    } catch (error) {
      if (tooLate.aborted) return answered(false, 'The page took too long.');
      if (!caller.aborted) this.#log.error('a browser tool failed', errorFields(error));
      return answered(false, 'Something went wrong in the browser.');
    }
  }
}

/** Of the organization that has the most browsers, the one that has idled longest. */
function longestIdle(entries: ReadonlyMap<string, Entry>): string | undefined {
  const ofEach = Map.groupBy(entries, ([, { organizationId }]) => organizationId);
  return [...ofEach.values()]
    .toSorted((a, b) => b.length - a.length)
    .flatMap((own) => own.toSorted(([, a], [, b]) => a.usedAt - b.usedAt))
    .find(([, { calls }]) => calls === 0)?.[0];
}

export type BrowserCall = BodyOf<typeof callBrowserTool>;
type BrowserAnswer = AnswerOf<typeof callBrowserTool>;

/** One call of a browser tool; failures are answers without success. */
async function browserOperation(
  browser: SessionBrowser,
  { startUrl, operation, args: given, maySendForms }: BrowserCall,
  signal: AbortSignal,
): Promise<BrowserAnswer> {
  const look = () => browser.view({ withImage: false }, signal);
  const act = async (action: PageAction, isShown: boolean): Promise<BrowserAnswer> => {
    if (!maySendForms && (await browser.form(action, signal)) !== null) {
      return answered(false, NO_FORMS);
    }
    const { success, output } = await browser.act(action, signal);
    return success && isShown ? read() : answered(success, output);
  };
  async function read(): Promise<BrowserAnswer> {
    const page = await look();
    if (!page) return answered(false, 'No page is open. Open an address first.');
    const { success, output } = await browser.act({ type: 'extract', about: '' }, signal);
    return answered(true, pageAnswer(page, success ? output : ''));
  }
  async function ready(): Promise<BrowserAnswer | null> {
    if (startUrl === null || (await look()) !== null) return null;
    const opened = await act({ type: 'open', url: startUrl }, false);
    return opened.success ? null : opened;
  }

  const parsed = BROWSER_TOOL_ARGS[operation].safeParse(given);
  if (!parsed.success) return answered(false, `These details do not fit ${operation}.`);
  const args = parsed.data as { url?: string; ref?: string; text?: string; submit?: boolean };
  if (operation === 'open') return act({ type: 'open', url: args.url ?? '' }, true);
  const notReady = await ready();
  if (notReady) return notReady;
  if (operation === 'read') return read();
  if (operation === 'screenshot') return picture(browser);
  const wanted = args.ref ?? '';
  const ref = refOf(wanted, await look());
  if (!ref) return answered(false, `There is no element "${wanted}" on the page.`);
  if (operation === 'click') return act({ type: 'click', ref }, true);
  const { text = '', submit = false } = args;
  return act({ type: 'type', ref, text, submit }, submit);
}

const NO_FORMS =
  'Not sent: the forms of this agent need approval, for which only a browser session can wait, or are never sent.';

async function picture(browser: SessionBrowser): Promise<BrowserAnswer> {
  const frame = await browser.screenshot();
  if (!frame) return answered(false, 'There is nothing to take a picture of.');
  const output = `A picture of ${frame.title} (${frame.url}).`;
  return { success: true, output, screenshot: frame.png.toString('base64') };
}

const answered = (success: boolean, output: string): BrowserAnswer => ({
  success,
  output,
  screenshot: null,
});

const TEXT_MAX = 12_000;
const ELEMENTS_MAX = 7_000;

const ELEMENT =
  /^\s*- '?(link|button|textbox|searchbox|combobox|checkbox|radio|switch|tab|menuitem|option|slider|spinbutton)\b(?: ("(?:[^"\\]|\\.)*"))?.*\[ref=((?:f\d+)?e\d+)\]/;
const REF = /^(?:f\d+)?e\d+$/;

type Element = { readonly role: string; readonly name: string; readonly ref: string };

/** Elements that can be clicked or typed into, in page order. */
function elementsIn(outline: string): Element[] {
  return outline.split('\n').flatMap((line) => {
    const [, role, quoted = '""', ref] = ELEMENT.exec(line) ?? [];
    return role && ref ? [{ role, name: unquoted(quoted), ref }] : [];
  });
}

/** The reference of an element, given as a reference or as its label. */
export function refOf(wanted: string, page: PageView | null): string | null {
  const plain = wanted.trim();
  if (REF.test(plain)) return plain;
  const name = plain.toLowerCase();
  const elements = elementsIn(page?.outline ?? '');
  const same = elements.find((element) => element.name.toLowerCase() === name);
  return (same ?? elements.find((element) => isPart(name, element)))?.ref ?? null;
}

const isPart = (name: string, element: Element) =>
  name !== '' && element.name.toLowerCase().includes(name);

/** A page for a model or a person: its address, its text, and the possible actions. */
export function pageAnswer(page: PageView, text: string): string {
  const elements = elementsIn(page.outline).map(
    ({ role, name, ref }) => `- ${role} "${name}" [ref=${ref}]`,
  );
  return [
    `${page.title}\n${page.url}`,
    ...page.notices,
    cutText(text, TEXT_MAX),
    ...(elements.length > 0 ? [`Elements:\n${cutText(elements.join('\n'), ELEMENTS_MAX)}`] : []),
  ].join('\n\n');
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
