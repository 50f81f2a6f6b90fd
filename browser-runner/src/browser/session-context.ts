import type { PageView } from '@tallyhand/agent-runtime/browsing/planner';
import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import { BrowserCrashed } from '@tallyhand/contracts/features/sessions/session-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { BrowserContext } from 'playwright';
import type { ProxyClient } from '../proxy/proxy-client.ts';
import type { Frame, SessionBrowser } from '../session-browser.ts';
import { actionRunner } from './action-runner.ts';
import type { FileReader } from './file-text.ts';
import { notices } from './notices.ts';
import { type Outline, readOutline } from './outline.ts';
import { perform, STUCK } from './page-actions.ts';
import { performInput } from './person-input.ts';
import { screencast } from './screencast.ts';
import { takeScreenshot } from './screenshots.ts';
import { secrets } from './secrets.ts';
import { sessionPages } from './session-pages.ts';

/** The browser of one session, in its own context. */
export function sessionBrowser(
  context: BrowserContext,
  proxy: ProxyClient,
  options: {
    actionMsMax: number;
    files: FileReader;
    crashReason: () => Sentence | undefined;
    onClose: () => Promise<void>;
  },
): SessionBrowser {
  const lost = Promise.withResolvers<Sentence>();
  const told = notices();
  const kept = secrets();
  const hidden = (frame: Frame): Frame => ({
    ...frame,
    url: kept.hide(frame.url),
    title: kept.hide(frame.title),
  });
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
    if (!closing.signal.aborted) lost.resolve(BrowserCrashed({}));
  });

  const run = actionRunner(
    { pages, proxy, secrets: kept, files: options.files },
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
    if (outline === null) told.add(STUCK);
    const screenshot = withImage ? await takeScreenshot(tools) : null;
    return {
      url: kept.hide(tools.url()),
      title: kept.hide(await tools.readTitle()),
      outline: kept.hide(outline?.text ?? ''),
      screenshot: screenshot?.png ?? null,
      notices: told.take().map(kept.hide),
    };
  };

  return {
    lost: lost.promise,
    async view({ withImage }, signal) {
      return await orAborted(view(withImage, signal), signal);
    },
    act: (action, signal) =>
      run((acting) => perform(action, acting), { kind: action.type, isPerson: false }, signal),
    input: (input, signal) =>
      run((acting) => performInput(input, acting), { kind: input.kind, isPerson: true }, signal),
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
