import { cleanText } from '@tallyhand/agent-runtime/openai/clean-text';
import { PageCrashed } from '@tallyhand/contracts/features/sessions/session-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { BrowserContext, Dialog, Download, Page } from 'playwright';
import { PageTools } from './page-tools.ts';

const PAGES_MAX = 3;
/** How long the answer of a window that a click opened may take. */
const FOLLOW_MS_MAX = 10_000;

export type SessionPages = ReturnType<typeof sessionPages>;

/** The pages of a context: the current one, and the few windows that pages opened. */
export function sessionPages(context: BrowserContext, notices: Notices, fate: Fate) {
  const pages = new Map<Page, PageTools>();
  const listeners = new Set<() => void>();
  let current: Page | null = null;
  const own = ownPages(context);
  const next = nextWindow();

  const show = (page: Page | null) => {
    current = page;
    for (const listener of listeners) listener();
  };
  const close = (page: Page) => void page.close().catch(() => undefined);
  const adopt = (page: Page) => {
    pages.set(page, new PageTools(page));
    page.on('crash', () => incidents.onCrash(page));
    page.on('download', incidents.onDownload);
    page.on('close', () => {
      pages.delete(page);
      if (page === current) show([...pages.keys()].at(-1) ?? null);
    });
  };
  const open = async () => {
    const page = await own.open();
    adopt(page);
    show(page);
    return page;
  };
  const replace = async (why: string) => {
    notices.add(why);
    const old = current;
    if (old !== null) pages.get(old)?.giveUp(why);
    const page = await open();
    if (old !== null) close(old);
    return page;
  };
  const replaceNow = (why: string) => void replace(why).catch(() => undefined);
  const ours = { current: () => current, close, replace: replaceNow };
  const incidents = pageIncidents(ours, notices, fate);

  /** The first window of an action is followed, and replaces an older one if necessary. */
  const takeIn = (page: Page) => {
    const isFollowed = next.isFollowed();
    const oldest = [...pages.keys()].find((one) => one !== current);
    if (pages.size >= PAGES_MAX && !isFollowed) {
      incidents.onWindow(page);
      return;
    }
    if (pages.size >= PAGES_MAX && oldest !== undefined) close(oldest);
    adopt(page);
    if (!isFollowed) return;
    notices.add('The page opened a new window, which is shown now.');
    show(page);
  };
  own.onOther(takeIn);
  context.on('dialog', (dialog) => {
    const page = dialog.page();
    if (page !== null) incidents.onDialog(page, dialog);
  });

  return {
    /** The current page; null while nothing was opened. */
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
    /** Called whenever the current page changes. */
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** `follows`: whether to follow the first window that opens from now on. */
    actionBegins(follows: boolean) {
      incidents.actionBegins();
      next.follow(follows);
    },
  };
}

/** Distinguishes the runner's pages from those that pages open. */
function ownPages(context: BrowserContext) {
  const openings = new Set<Promise<Page>>();
  const opened = new WeakSet<Page>();
  return {
    async open(): Promise<Page> {
      const opening = context.newPage();
      openings.add(opening);
      try {
        const page = await opening;
        opened.add(page);
        return page;
      } finally {
        openings.delete(opening);
      }
    },
    onOther(listener: (page: Page) => void) {
      context.on('page', async (page) => {
        // The runner's own pages are known when they have opened; the page's claims are not used.
        await Promise.allSettled(openings);
        if (!opened.has(page) && !page.isClosed()) listener(page);
      });
    },
  };
}

/** Of the windows that open after an action the first is followed, once. */
function nextWindow() {
  let until = 0;
  return {
    follow(follows: boolean) {
      until = follows ? performance.now() + FOLLOW_MS_MAX : 0;
    },
    isFollowed(): boolean {
      const isFollowed = performance.now() < until;
      until = 0;
      return isFollowed;
    },
  };
}

/** In one action. */
const DIALOGS_MAX = 20;
const WINDOWS_MAX = 150;
/** In a session. */
const CRASHES_MAX = 2;

type Fate = {
  /** The session cannot continue. */
  lose: (why: Sentence) => void;
  /** Why the runner ended a page that has just crashed, if it did. */
  crashReason: () => Sentence | undefined;
};

type Pages = {
  current(): Page | null;
  close(page: Page): void;
  /** Replaces the current page by an empty one. */
  replace(why: string): void;
};

/** Unrequested actions of pages become notices; too many of them end the page. */
function pageIncidents(pages: Pages, notices: Notices, fate: Fate) {
  let dialogs = 0;
  let windows = 0;
  let crashes = 0;

  const end = (page: Page, why: string) => {
    if (page === pages.current()) pages.replace(why);
    else pages.close(page);
  };

  return {
    actionBegins() {
      dialogs = 0;
      windows = 0;
    },
    onDialog(page: Page, dialog: Dialog) {
      // Leaving a page never waits.
      if (dialog.type() === 'beforeunload') {
        void dialog.accept().catch(() => undefined);
        return;
      }
      dialogs += 1;
      if (dialogs <= DIALOGS_MAX) {
        notices.add(`A dialog of the page was dismissed: ${dialog.message() || dialog.type()}`);
        void dialog.dismiss().catch(() => undefined);
      } else if (dialogs === DIALOGS_MAX + 1) {
        end(page, 'The page showed one dialog after the other and was closed.');
      } else pages.close(page);
    },
    onWindow(page: Page) {
      windows += 1;
      pages.close(page);
      notices.add('A window that the page opened was closed: there are too many.');
      if (windows === WINDOWS_MAX) {
        pages.replace('The page opened one window after the other and was closed.');
      }
    },
    onCrash(page: Page) {
      if (page !== pages.current()) {
        pages.close(page);
        return;
      }
      crashes += 1;
      const reason = fate.crashReason();
      if (reason !== undefined) fate.lose(reason);
      else if (crashes >= CRASHES_MAX) fate.lose(PageCrashed({}));
      else pages.replace('The page crashed and was closed.');
    },
    onDownload(download: Download) {
      notices.add(`A download was refused: ${download.suggestedFilename()} (${download.url()})`);
      void download.cancel().catch(() => undefined);
    },
  };
}

const NOTICES_MAX = 20;
const NOTICE_LENGTH_MAX = 300;

/** Events of the pages since the last read, each sentence once. */
export class Notices {
  readonly #counts = new Map<string, number>();

  add(sentence: string): void {
    const text = cleanText(sentence, NOTICE_LENGTH_MAX);
    const count = this.#counts.get(text);
    if (count !== undefined || this.#counts.size < NOTICES_MAX) {
      this.#counts.set(text, (count ?? 0) + 1);
    }
  }

  take(): string[] {
    const sentences = [...this.#counts].map(([text, count]) =>
      count > 1 ? `${text} (${count}×)` : text,
    );
    this.#counts.clear();
    return sentences;
  }
}
