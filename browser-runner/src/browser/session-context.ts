import type { PageView } from '@tallyhand/agent-runtime/browsing/planner';
import { cleanText } from '@tallyhand/agent-runtime/openai/clean-text';
import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import type { BrowserContext } from 'playwright';
import type { ProxyClient } from '../proxy/proxy-client.ts';
import type { ActionResult, SessionBrowser } from '../session-browser.ts';
import { notices } from './notices.ts';
import { failed } from './outcome.ts';
import { type Outline, readOutline } from './outline.ts';
import { type Acting, perform } from './page-actions.ts';
import { performInput } from './person-input.ts';
import { screencast } from './screencast.ts';
import { takeScreenshot } from './screenshots.ts';
import { serial } from './serial.ts';
import { sessionPages } from './session-pages.ts';

const URL_LENGTH_MAX = 2_000;

/** The browser of one session, in a context of its own. */
export function sessionBrowser(
  context: BrowserContext,
  proxy: ProxyClient,
  options: {
    actionMsMax: number;
    crashReason: () => string | undefined;
    onClose: () => Promise<void>;
  },
): SessionBrowser & { lose(sentence: string): void } {
  const lost = Promise.withResolvers<string>();
  const told = notices();
  const inTurn = serial();
  const closing = new AbortController();
  const pages = sessionPages(context, told, {
    lose: lost.resolve,
    crashReason: options.crashReason,
  });
  const cast = screencast(pages);
  let outline: Outline | null = null;
  let closed: Promise<void> | undefined;
  proxy.tellLimits(told.add);
  context.once('close', () => {
    if (!closing.signal.aborted) lost.resolve('The browser was closed.');
  });

  /** Ends in time, at once when the signal is aborted, and with an answer otherwise. */
  const bounded = async (
    work: (acting: Acting) => Promise<ActionResult>,
    given: AbortSignal,
  ): Promise<ActionResult> => {
    given.throwIfAborted();
    const late = AbortSignal.timeout(options.actionMsMax);
    const signal = AbortSignal.any([given, closing.signal, late]);
    const settled = async () => {
      const result = await pages.during(() => work({ pages, proxy, outline, signal }));
      const page = pages.current();
      if (page) await pages.tools(page)?.quiet(signal);
      if (page) await pages.tools(page)?.readTitle();
      return result;
    };
    try {
      return await orAborted(settled(), signal);
    } catch {
      given.throwIfAborted();
      return failed(late.aborted ? 'This took too long and was stopped.' : 'The page is gone.');
    }
  };

  const view = async (withImage: boolean, signal: AbortSignal): Promise<PageView | null> => {
    const page = pages.current();
    const tools = page && pages.tools(page);
    if (!page || !tools) return null;
    outline = await readOutline(page, signal).catch(() => null);
    if (outline === null) told.add('The page does not answer: it may be busy without end.');
    const screenshot = withImage ? await takeScreenshot(page, tools) : null;
    return {
      url: cleanText(page.url(), URL_LENGTH_MAX),
      title: await tools.readTitle(),
      outline: outline?.text ?? '',
      screenshot: screenshot?.png ?? null,
      notices: told.take(),
    };
  };

  return {
    lost: lost.promise,
    lose: lost.resolve,
    async view({ withImage }, signal) {
      return await orAborted(view(withImage, signal), signal);
    },
    act: (action, signal) =>
      orAborted(
        inTurn(() => bounded((acting) => perform(action, acting), signal)),
        signal,
      ),
    input: (input, signal) =>
      orAborted(
        inTurn(() => bounded((acting) => performInput(input, acting), signal)),
        signal,
      ),
    async screenshot() {
      const page = pages.current();
      const tools = page && pages.tools(page);
      return page && tools ? await takeScreenshot(page, tools) : null;
    },
    watch: cast.watch,
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
