import { cleanText } from '@tallyhand/agent-runtime/openai/clean-text';
import { PageCrashed } from '@tallyhand/contracts/features/sessions/session-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { BrowserContext, Dialog, Download, Page } from 'playwright';
import { PageTools } from './page-tools.ts';

const PAGES_MAX = 3;
/** How long the answer of a window that a click opened may take. */
const FOLLOW_MS_MAX = 10_000;

/** In one action. */
const DIALOGS_MAX = 20;
const WINDOWS_MAX = 150;
/** In a session. */
const CRASHES_MAX = 2;

type Fate = {
  /** The session cannot continue. */
  readonly lose: (why: Sentence) => void;
  /** Why the runner ended a page that has just crashed, if it did. */
  readonly crashReason: () => Sentence | undefined;
};

/**
 * The pages of a context: the current one, and the few windows that pages opened. Unrequested actions
 * of pages become notices; too many of them end the page.
 */
export class SessionPages {
  readonly #context: BrowserContext;
  readonly #notices: Notices;
  readonly #fate: Fate;
  readonly #pages = new Map<Page, PageTools>();
  readonly #listeners = new Set<() => void>();
  readonly #openings = new Set<Promise<Page>>();
  readonly #opened = new WeakSet<Page>();
  #current: Page | null = null;
  /** The first window that opens before this time is followed. */
  #followUntil = 0;
  #dialogs = 0;
  #windows = 0;
  #crashes = 0;

  constructor(context: BrowserContext, notices: Notices, fate: Fate) {
    this.#context = context;
    this.#notices = notices;
    this.#fate = fate;
    context.on('page', async (page) => {
      // The runner's own pages are known when they have opened; the page's claims are not used.
      await Promise.allSettled(this.#openings);
      if (!this.#opened.has(page) && !page.isClosed()) this.#addWindow(page);
    });
    context.on('dialog', (dialog) => {
      const page = dialog.page();
      if (page !== null) this.#onDialog(page, dialog);
    });
  }

  /** The current page; null while nothing was opened. */
  current(): Page | null {
    return this.#current;
  }

  tools(page: Page): PageTools | undefined {
    return this.#pages.get(page);
  }

  async open(): Promise<Page> {
    const opening = this.#context.newPage();
    this.#openings.add(opening);
    try {
      const page = await opening;
      this.#opened.add(page);
      this.#add(page);
      this.#show(page);
      return page;
    } finally {
      this.#openings.delete(opening);
    }
  }

  /** Replaces the current page by an empty one. */
  async replace(why: string): Promise<Page> {
    this.#notices.add(why);
    const old = this.#current;
    if (old !== null) this.#pages.get(old)?.giveUp(why);
    const page = await this.open();
    if (old !== null) close(old);
    return page;
  }

  /** Closes a page when there is another one to show; false when there is none. */
  async leave(page: Page): Promise<boolean> {
    if (this.#pages.size < 2) return false;
    await page.close();
    return true;
  }

  /** Called whenever the current page changes. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** `follows`: whether to follow the first window that opens from now on. */
  actionBegins(follows: boolean): void {
    this.#dialogs = 0;
    this.#windows = 0;
    this.#followUntil = follows ? performance.now() + FOLLOW_MS_MAX : 0;
  }

  #show(page: Page | null) {
    this.#current = page;
    for (const listener of this.#listeners) listener();
  }

  #add(page: Page) {
    this.#pages.set(page, new PageTools(page));
    page.on('crash', () => this.#onCrash(page));
    page.on('download', (download) => this.#onDownload(download));
    page.on('close', () => {
      this.#pages.delete(page);
      if (page === this.#current) this.#show([...this.#pages.keys()].at(-1) ?? null);
    });
  }

  #replaceNow(why: string) {
    void this.replace(why).catch(() => undefined);
  }

  /** The first window of an action is followed, and replaces an older one if necessary. */
  #addWindow(page: Page) {
    const isFollowed = performance.now() < this.#followUntil;
    this.#followUntil = 0;
    if (this.#pages.size >= PAGES_MAX) {
      if (!isFollowed) return this.#refuseWindow(page);
      const oldest = [...this.#pages.keys()].find((one) => one !== this.#current);
      if (oldest !== undefined) close(oldest);
    }
    this.#add(page);
    if (!isFollowed) return;
    this.#notices.add('The page opened a new window, which is shown now.');
    this.#show(page);
  }

  #refuseWindow(page: Page) {
    this.#windows += 1;
    close(page);
    this.#notices.add('A window that the page opened was closed: there are too many.');
    if (this.#windows === WINDOWS_MAX) {
      this.#replaceNow('The page opened one window after the other and was closed.');
    }
  }

  #onDialog(page: Page, dialog: Dialog) {
    // Leaving a page never waits.
    if (dialog.type() === 'beforeunload') {
      void dialog.accept().catch(() => undefined);
      return;
    }
    this.#dialogs += 1;
    if (this.#dialogs <= DIALOGS_MAX) {
      this.#notices.add(`A dialog of the page was dismissed: ${dialog.message() || dialog.type()}`);
      void dialog.dismiss().catch(() => undefined);
    } else if (this.#dialogs === DIALOGS_MAX + 1 && page === this.#current) {
      this.#replaceNow('The page showed one dialog after the other and was closed.');
    } else close(page);
  }

  #onCrash(page: Page) {
    if (page !== this.#current) return close(page);
    this.#crashes += 1;
    const reason = this.#fate.crashReason();
    if (reason !== undefined) this.#fate.lose(reason);
    else if (this.#crashes >= CRASHES_MAX) this.#fate.lose(PageCrashed({}));
    else this.#replaceNow('The page crashed and was closed.');
  }

  #onDownload(download: Download) {
    const what = `${download.suggestedFilename()} (${download.url()})`;
    this.#notices.add(`A download was refused: ${what}`);
    void download.cancel().catch(() => undefined);
  }
}

const close = (page: Page) => void page.close().catch(() => undefined);

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
