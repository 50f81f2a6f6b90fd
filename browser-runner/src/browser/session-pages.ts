import type { BrowserContext, Dialog, Page } from 'playwright';
import type { Notices } from './notices.ts';
import { type PageTools, pageTools } from './page-tools.ts';

const PAGES_MAX = 3;
/** In one action. */
const DIALOGS_MAX = 20;
const WINDOWS_MAX = 150;
const CRASHES_MAX = 2;

type Fate = {
  /** The session can't go on. */
  lose: (sentence: string) => void;
  /** Why a page that crashed this moment was ended by us, if it was. */
  crashReason: () => string | undefined;
};

export type SessionPages = ReturnType<typeof sessionPages>;

/**
 * The pages of a context: the one that counts, and the few that it or its pages opened. What a page
 * does without being asked (dialogs, windows, downloads, crashes) ends here, as a notice.
 */
export function sessionPages(
  context: BrowserContext,
  notices: Notices,
  { lose, crashReason }: Fate,
) {
  const pages = new Map<Page, PageTools>();
  const listeners = new Set<() => void>();
  let current: Page | null = null;
  let opening: Promise<Page> | undefined;
  let isActing = false;
  let isFollowing = false;
  let dialogs = 0;
  let windows = 0;
  let crashes = 0;

  const show = (page: Page | null) => {
    current = page;
    for (const listener of listeners) listener();
  };
  const close = (page: Page) => void page.close().catch(() => undefined);

  const open = async () => {
    isFollowing = false;
    opening = context.newPage();
    const page = await opening;
    adopt(page);
    show(page);
    return page;
  };

  const replace = async (why: string) => {
    notices.add(why);
    const old = current;
    await open();
    if (old !== null) close(old);
  };
  const replaceNow = (why: string) => void replace(why).catch(() => undefined);

  const onDialog = (page: Page, dialog: Dialog) => {
    if (dialog.type() === 'beforeunload') {
      void dialog.accept().catch(() => undefined);
      return;
    }
    dialogs += 1;
    if (dialogs > DIALOGS_MAX) {
      if (page === current && dialogs === DIALOGS_MAX + 1) {
        replaceNow('The page showed one dialog after the other and was closed.');
      } else close(page);
      return;
    }
    notices.add(`A dialog of the page was dismissed: ${dialog.message() || dialog.type()}`);
    void dialog.dismiss().catch(() => undefined);
  };

  const onCrash = (page: Page) => {
    if (page !== current) {
      close(page);
      return;
    }
    crashes += 1;
    const reason = crashReason();
    if (reason !== undefined) lose(reason);
    else if (crashes >= CRASHES_MAX) lose('The page crashed again.');
    else replaceNow('The page crashed and was closed.');
  };

  const onClose = (page: Page) => {
    pages.delete(page);
    if (page === current) show([...pages.keys()].at(-1) ?? null);
  };

  /** The first window of an action is followed, and takes the place of an older one if need be. */
  const takeIn = (page: Page) => {
    const others = [...pages.keys()].filter((one) => one !== current);
    const [oldest] = others;
    const isFollowed = isActing && !isFollowing;
    if (pages.size >= PAGES_MAX && isFollowed && oldest !== undefined) close(oldest);
    else if (pages.size >= PAGES_MAX) {
      windows += 1;
      close(page);
      notices.add('A window that the page opened was closed: there are too many.');
      if (windows === WINDOWS_MAX) replaceNow('The page opened one window after the other.');
      return;
    }
    adopt(page);
    if (current === null || !isFollowed) return;
    isFollowing = true;
    notices.add('The page opened a new window, which is shown now.');
    show(page);
  };

  const adopt = (page: Page) => {
    pages.set(page, pageTools(page));
    page.on('crash', () => onCrash(page));
    page.on('close', () => onClose(page));
    page.on('download', (download) => {
      notices.add(`A download was refused: ${download.suggestedFilename()}`);
      void download.cancel().catch(() => undefined);
    });
  };

  context.on('page', async (page) => {
    // Whether it is ours is known when ours has come; pages of pages have no say in that.
    const own = await opening?.catch(() => undefined);
    if (page !== own) takeIn(page);
  });
  context.on('dialog', (dialog) => {
    const page = dialog.page();
    if (page !== null) onDialog(page, dialog);
  });

  return {
    /** The page that counts; null while nothing was opened. */
    current: () => current,
    tools: (page: Page) => pages.get(page),
    open,
    replace,
    /** Closes a page when there is another one to show; false when there is none. */
    async leave(page: Page): Promise<boolean> {
      if (pages.size < 2) return false;
      await page.close();
      return true;
    },
    /** Hears whenever another page counts. */
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Windows that open while it works belong to what it does. */
    async during<Result>(work: () => Promise<Result>): Promise<Result> {
      [isActing, isFollowing, dialogs, windows] = [true, false, 0, 0];
      try {
        return await work();
      } finally {
        isActing = false;
      }
    },
  };
}
