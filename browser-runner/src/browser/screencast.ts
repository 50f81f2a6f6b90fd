import type { CDPSession, Page } from 'playwright';
import type { Frame } from '../session-browser.ts';
import { takeScreenshot, VIEWPORT } from './screenshots.ts';
import type { SessionPages } from './session-pages.ts';

/** Between two frames; the browser sends the next when the last but one was acknowledged. */
const FRAME_MS_MIN = 100;
const TITLE_MS = 1_000;

/**
 * Frames of the current page, for all viewers, only while there are any, and only when something
 * moved.
 */
export function screencast(pages: SessionPages) {
  const watchers = new Set<(frame: Frame) => void>();
  let cast: { page: Page; stop: () => void } | undefined;

  const tell = (frame: Frame) => {
    for (const watcher of watchers) watcher(frame);
  };
  const follow = () => {
    const page = watchers.size > 0 ? pages.current() : null;
    if (cast?.page === page) return;
    cast?.stop();
    cast = undefined;
    if (page === null) return;
    cast = { page, stop: castPage(page, pages, tell) };
    void show(tell);
  };
  const show = async (to: (frame: Frame) => void) => {
    const page = pages.current();
    const tools = page && pages.tools(page);
    const frame = page && tools && (await takeScreenshot(tools));
    if (frame) to(frame);
  };
  const unfollow = pages.onChange(follow);

  return {
    watch(onFrame: (frame: Frame) => void): () => void {
      // A new function, so that the same one may watch twice.
      const watcher = (frame: Frame) => onFrame(frame);
      watchers.add(watcher);
      if (cast === undefined) follow();
      else void show((frame) => watchers.has(watcher) && watcher(frame));
      return () => {
        watchers.delete(watcher);
        follow();
      };
    },
    end() {
      unfollow();
      watchers.clear();
      follow();
    },
  };
}

function castPage(page: Page, pages: SessionPages, tell: (frame: Frame) => void): () => void {
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
    tell({ png, url: tools?.url() ?? '', title: tools?.title() ?? '', at: new Date() });
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
