import type { BrowserContext, CDPSession, Page } from 'playwright';

/** What a page is like that was opened without options. */
export const DEFAULTS = {
  viewport: { width: 1440, height: 900 },
  reducedMotion: 'reduce',
} as const;

/** Idle pages of a worker; a test seldom needs more than two at once. */
const IDLE_MAX = 2;

/** A test that uses one of these changes its page for good. */
const LASTING = new Set([
  'addInitScript',
  'clock',
  'close',
  'exposeBinding',
  'exposeFunction',
  'grantPermissions',
  'newCDPSession',
  'newPage',
  'on',
  'once',
  'routeWebSocket',
  'setExtraHTTPHeaders',
  'setOffline',
]);

type Kept = { readonly session: CDPSession; readonly url: string; isChanged: boolean };

/**
 * Pages that tests take over from each other, because a new one starts a process and compiles the
 * whole application: three times the work of a page that loads it again. A test finds no cookies,
 * storage, routes or history of another. A page that a test changed for good is closed after it.
 */
export class KeptPages {
  readonly #pages = new WeakMap<Page, Kept>();
  readonly #idle: Page[] = [];

  /** A page of the product at this address, by `open` if none is idle. */
  async take(url: string, open: () => Promise<Page>): Promise<Page> {
    const at = this.#idle.findIndex((page) => this.#pages.get(page)?.url === url);
    const [idle] = at < 0 ? [] : this.#idle.splice(at, 1);
    return idle ?? this.#keep(await open(), url);
  }

  /** Ends a test's use of a page, also of one that can't be kept. */
  async giveBack(page: Page): Promise<void> {
    const kept = this.#pages.get(page);
    if (!kept || kept.isChanged || !(await isReset(page, kept))) return page.context().close();
    this.#idle.push(page);
    if (this.#idle.length > IDLE_MAX) await this.#idle.shift()?.context().close();
  }

  async #keep(page: Page, url: string): Promise<Page> {
    const session = await page.context().newCDPSession(page);
    const kept: Kept = { session, url, isChanged: false };
    for (const target of [page, page.context()]) {
      onLastingUse(target, () => {
        kept.isChanged = true;
      });
    }
    this.#pages.set(page, kept);
    return page;
  }
}

function onLastingUse(target: Page | BrowserContext, tell: () => void) {
  for (const name of LASTING) {
    const value = Reflect.get(target, name);
    if (value === undefined) continue;
    Object.defineProperty(target, name, {
      get() {
        tell();
        return value;
      },
    });
  }
}

/** Leaves for a small page of the same site, so that the process stays. */
async function isReset(page: Page, { session, url }: Kept): Promise<boolean> {
  const context = page.context();
  if (context.pages().length > 1) return false;
  try {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await page.goto(`${url}/robots.txt`);
    await context.clearCookies();
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
    await session.send('Page.resetNavigationHistory');
    await page.mouse.move(-1, -1);
    await page.setViewportSize(DEFAULTS.viewport);
    await page.emulateMedia({
      media: null,
      colorScheme: null,
      contrast: null,
      forcedColors: null,
      reducedMotion: DEFAULTS.reducedMotion,
    });
    return true;
  } catch {
    // Its product has ended, or the page has.
    return false;
  }
}
