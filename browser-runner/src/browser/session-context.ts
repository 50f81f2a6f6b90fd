import type { PageView } from '@tallyhand/agent-runtime/browsing/planner';
import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import { BrowserCrashed } from '@tallyhand/contracts/features/sessions/session-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { BrowserContext, CDPSession, Page } from 'playwright';
import type { ProxyClient } from '../proxy/proxy-client.ts';
import type { ActionResult, Frame, PageAction, SessionBrowser } from '../session-browser.ts';
import { cleanName, type Done, done, failed } from '../session-browser.ts';
import type { FileReader } from './file-text.ts';
import { openPage } from './open-page.ts';
import { type Outline, readOutline } from './outline.ts';
import { type Acting, perform, STUCK, usablePage } from './page-actions.ts';
import type { PageTools } from './page-tools.ts';
import { takeScreenshot, VIEWPORT } from './page-tools.ts';
import { MASK, Secrets } from './secrets.ts';
import { sentForm } from './sent-form.ts';
import { Notices, SessionPages } from './session-pages.ts';

/** The browser of one session, in its own context. */
export function sessionBrowser(
  context: BrowserContext,
  proxy: ProxyClient,
  options: {
    actionMsMax: number;
    answerMsMax: number | undefined;
    files: FileReader;
    crashReason: () => Sentence | undefined;
    onClose: () => Promise<void>;
  },
): SessionBrowser {
  const lost = Promise.withResolvers<Sentence>();
  const notices = new Notices();
  const secrets = new Secrets();
  const hidden = (frame: Frame): Frame => ({
    ...frame,
    url: secrets.hide(frame.url),
    title: secrets.hide(frame.title),
  });
  const closing = new AbortController();
  const pages = new SessionPages(context, notices, {
    lose: lost.resolve,
    crashReason: options.crashReason,
  });
  const cast = new Screencast(pages);
  let outline: Outline | null = null;
  let closed: Promise<void> | undefined;
  proxy.onLimit((sentence) => notices.add(sentence));
  context.once('close', () => {
    if (!closing.signal.aborted) lost.resolve(BrowserCrashed({}));
  });

  const actions = new ActionRunner(
    { pages, proxy, secrets, files: options.files, answerMsMax: options.answerMsMax },
    {
      actionMsMax: options.actionMsMax,
      closing: closing.signal,
      outline: () => outline,
    },
  );

  const view = async (withImage: boolean, signal: AbortSignal): Promise<PageView | null> => {
    const page = pages.current();
    const tools = page && pages.tools(page);
    if (!page || !tools) return null;
    outline = await readOutline(page, tools, signal).catch(() => null);
    if (outline === null) notices.add(STUCK);
    const screenshot = withImage ? await takeScreenshot(tools) : null;
    return {
      url: secrets.hide(tools.url()),
      title: secrets.hide(await tools.readTitle()),
      outline: secrets.hide(outline?.text ?? ''),
      screenshot: screenshot?.png ?? null,
      notices: notices.take().map((each) => secrets.hide(each)),
    };
  };

  return {
    lost: lost.promise,
    async view({ withImage }, signal) {
      return await orAborted(view(withImage, signal), signal);
    },
    form: (action, signal) => {
      const { answerMsMax } = options;
      return orAborted(sentForm(action, { pages, answerMsMax, outline, secrets }), signal);
    },
    act: (action, signal) =>
      actions.run(
        (acting) => perform(action, acting),
        { kind: action.type, isPerson: false },
        signal,
      ),
    input: (input, signal) =>
      actions.run(
        (acting) => performInput(input, acting),
        { kind: input.kind, isPerson: true },
        signal,
      ),
    async screenshot() {
      const page = pages.current();
      const tools = page && pages.tools(page);
      const frame = page && tools ? await takeScreenshot(tools) : null;
      return frame && hidden(frame);
    },
    watch: (onFrame) => cast.watch((frame) => onFrame(hidden(frame))),
    async [Symbol.asyncDispose]() {
      closed ??= (async () => {
        closing.abort();
        cast.end();
        proxy[Symbol.dispose]();
        await options.onClose();
      })();
      await closed;
    },
  };
}

type Kind = PageAction['type'] | LiveInput['kind'];
type What = { kind: Kind; isPerson: boolean };
type Work = (acting: Acting) => Promise<ActionResult>;

/** After these actions a new window may be expected. */
const FOLLOWED = new Set<Kind>(['click', 'type', 'select', 'text', 'key']);
/** These change nothing to wait for, or are one of many. */
const WITHOUT_PAUSE = new Set<Kind>(['extract', 'search', 'text', 'scroll']);
/** Input of a member, who must not have to wait. */
const PERSON_MS_MAX = 1_000;

type RunnerOptions = {
  readonly actionMsMax: number;
  readonly closing: AbortSignal;
  readonly outline: () => Outline | null;
};

/** Runs actions one after the other. */
class ActionRunner {
  readonly #acting: Omit<Acting, 'outline' | 'signal'>;
  readonly #options: RunnerOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(acting: Omit<Acting, 'outline' | 'signal'>, options: RunnerOptions) {
    this.#acting = acting;
    this.#options = options;
  }

  /**
   * Each action ends in time whatever the page does, and waits until the page is quiet. One whose
   * signal is aborted rejects at once.
   */
  run(work: Work, what: What, signal: AbortSignal): Promise<ActionResult> {
    const next = this.#last.then(() => this.#bounded(work, what, signal));
    this.#last = next.catch(() => undefined);
    return orAborted(next, signal);
  }

  async #bounded(work: Work, what: What, given: AbortSignal): Promise<ActionResult> {
    given.throwIfAborted();
    const late = AbortSignal.timeout(this.#options.actionMsMax);
    const signal = AbortSignal.any([given, this.#options.closing, late]);
    try {
      return await orAborted(this.#settle(work, what, signal), signal);
    } catch {
      given.throwIfAborted();
      if (late.aborted) return failed('This took too long and was stopped.');
      return failed('The page was gone before this was done.');
    }
  }

  async #settle(work: Work, { kind, isPerson }: What, signal: AbortSignal) {
    const { pages, secrets } = this.#acting;
    const page = pages.current();
    pages.actionBegins(FOLLOWED.has(kind));
    if (page !== null) pages.tools(page)?.forgetPending();
    const outcome = await work({ ...this.#acting, outline: this.#options.outline(), signal });
    const result = { ...outcome, output: secrets.hide(outcome.output) };
    if (WITHOUT_PAUSE.has(kind) || !result.success) return result;
    const msMax = isPerson ? PERSON_MS_MAX : undefined;
    const before = pages.current();
    if (before !== null) await pages.tools(before)?.quiet(signal, msMax);
    const after = pages.current();
    if (after !== null && after !== before) await pages.tools(after)?.quiet(signal, msMax);
    if (after !== null) await pages.tools(after)?.readTitle();
    return result;
  }
}

const FRAMES_MAX = 10;
const FOCUSED_SECRET = [
  'input[type=password i]:focus',
  'input[autocomplete*=password i]:focus',
  'input[autocomplete*="one-time-code" i]:focus',
  'input[autocomplete*="cc-" i]:focus',
].join(', ');

/** Repeats the member's input at the position of the picture. */
async function performInput(input: LiveInput, acting: Acting): Promise<Done> {
  if (input.kind !== 'text') acting.secrets.pause();
  if (input.kind === 'open') {
    return await openPage(input.url, acting);
  }
  if (input.kind === 'back') return await perform({ type: 'back' }, acting);
  const on = await usablePage(acting);
  if (typeof on === 'string') return failed(on);
  const { page, tools } = on;
  switch (input.kind) {
    case 'click': {
      const at = placeOf(input);
      const name = await nameAt(tools, at);
      await page.mouse.click(at.x, at.y);
      return done(name === null ? 'Clicked on the page.' : `Clicked "${name}".`, name);
    }
    case 'scroll': {
      const { x, y } = placeOf(input);
      await page.mouse.move(x, y);
      await page.mouse.wheel(0, Math.max(-5_000, Math.min(5_000, input.deltaY)));
      return done(`Scrolled ${input.deltaY < 0 ? 'up' : 'down'}.`);
    }
    case 'text': {
      const isSecret = await isSecretFocused(page);
      if (isSecret) acting.secrets.typed(input.text, { continues: true });
      await page.keyboard.insertText(input.text);
      return { ...done(`Typed "${isSecret ? MASK : input.text}".`), isSecret };
    }
    case 'key':
      await page.keyboard.press(input.key);
      return done(`Pressed ${input.key}.`);
  }
}

function placeOf({ x, y }: { x: number; y: number }) {
  return {
    x: Math.min(VIEWPORT.width - 1, Math.floor(x * VIEWPORT.width)),
    y: Math.min(VIEWPORT.height - 1, Math.floor(y * VIEWPORT.height)),
  };
}

/** The accessible name of the element there, or of the nearest ancestor with one. */
async function nameAt(tools: PageTools, at: { x: number; y: number }): Promise<string | null> {
  try {
    const client = await tools.cdp();
    const { backendNodeId } = await client.send('DOM.getNodeForLocation', at);
    const { nodes } = await client.send('Accessibility.getPartialAXTree', { backendNodeId });
    const named = nodes.find(({ ignored, name, role }) => {
      return !ignored && name?.value && role?.value !== 'RootWebArea';
    });
    return cleanName(named ? String(named.name?.value) : null);
  } catch {
    return null;
  }
}

async function isSecretFocused(page: Page): Promise<boolean> {
  const counts = await Promise.all(
    page
      .frames()
      .slice(0, FRAMES_MAX)
      .map((frame) => frame.locator(FOCUSED_SECRET).count()),
  ).catch(() => [1]);
  return counts.some((count) => count > 0);
}

/** Between two frames; the browser sends the next when the last but one was acknowledged. */
const FRAME_MS_MIN = 100;
const TITLE_MS = 1_000;

type Watcher = (frame: Frame) => void;

/**
 * Frames of the current page, for all viewers, only while there are any, and only when something
 * moved.
 */
class Screencast {
  readonly #pages: SessionPages;
  readonly #watchers = new Set<Watcher>();
  readonly #unfollow: () => void;
  #cast: { page: Page; stop: () => void } | undefined;

  constructor(pages: SessionPages) {
    this.#pages = pages;
    this.#unfollow = pages.onChange(() => this.#follow());
  }

  /** Returns a function that ends the watching. */
  watch(onFrame: Watcher): () => void {
    // A new function, so that the same one may watch twice.
    const watcher = (frame: Frame) => onFrame(frame);
    this.#watchers.add(watcher);
    if (this.#cast === undefined) this.#follow();
    else void this.#show((frame) => this.#watchers.has(watcher) && watcher(frame));
    return () => {
      this.#watchers.delete(watcher);
      this.#follow();
    };
  }

  end(): void {
    this.#unfollow();
    this.#watchers.clear();
    this.#follow();
  }

  #follow() {
    const page = this.#watchers.size > 0 ? this.#pages.current() : null;
    if (this.#cast?.page === page) return;
    this.#cast?.stop();
    this.#cast = undefined;
    if (page === null) return;
    const send = (frame: Frame) => {
      for (const watcher of this.#watchers) watcher(frame);
    };
    this.#cast = { page, stop: castPage(page, this.#pages, send) };
    void this.#show(send);
  }

  async #show(to: Watcher) {
    const page = this.#pages.current();
    const tools = page && this.#pages.tools(page);
    const frame = page && tools && (await takeScreenshot(tools));
    if (frame) to(frame);
  }
}

function castPage(page: Page, pages: SessionPages, send: Watcher): () => void {
  let isStopped = false;
  let client: CDPSession | undefined;
  let titleAt = 0;
  let nextAckAt = 0;
  const timers = new Set<NodeJS.Timeout>();

  const acknowledge = (sessionId: number) => {
    const now = performance.now();
    nextAckAt = Math.max(now, nextAckAt) + FRAME_MS_MIN;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void client?.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
    }, nextAckAt - now);
    timers.add(timer);
  };
  const onFrame = ({ data, sessionId }: { data: string; sessionId: number }) => {
    if (isStopped) return;
    acknowledge(sessionId);
    const tools = pages.tools(page);
    if (tools && performance.now() - titleAt > TITLE_MS) {
      titleAt = performance.now();
      void tools.readTitle();
    }
    const png = Buffer.from(data, 'base64');
    send({ png, url: tools?.url() ?? '', title: tools?.title() ?? '', at: new Date() });
  };
  const start = async () => {
    client = await page.context().newCDPSession(page);
    client.on('Page.screencastFrame', onFrame);
    const { width: maxWidth, height: maxHeight } = VIEWPORT;
    await client.send('Page.startScreencast', { format: 'png', maxWidth, maxHeight });
    if (isStopped) await client.detach();
  };
  void start().catch(() => undefined);

  return () => {
    isStopped = true;
    for (const timer of timers) clearTimeout(timer);
    void client?.detach().catch(() => undefined);
  };
}
