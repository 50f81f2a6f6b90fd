import type { BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright';

/** What a page is like that was opened without options. */
export const DEFAULTS = {
  viewport: { width: 1440, height: 900 },
  reducedMotion: 'reduce',
} as const;

/** Idle pages of a worker; a test seldom needs more than two at once. */
const IDLE_MAX = 2;

/** A page that was opened without these can take them on. */
const PASSING_OPTIONS = new Set(['viewport', 'colorScheme', 'reducedMotion']);

/** A test that uses one of these changes its page for good. */
const LASTING = new Set([
  'addInitScript',
  'clock',
  'close',
  'exposeBinding',
  'exposeFunction',
  'newCDPSession',
  'routeWebSocket',
  'setExtraHTTPHeaders',
]);

type Listener = { readonly event: string; readonly listen: () => void };

type Kept = {
  readonly session: CDPSession;
  readonly url: string;
  isChanged: boolean;
  /** Takes the listeners of the test away. */
  readonly silence: () => void;
};

/**
 * Pages that tests take over from each other, because a new one starts a process and compiles the
 * whole application: three times the work of a page that loads it again. A test finds no cookies,
 * storage, routes, listeners or history of another. A page that a test changed for good is closed
 * after it.
 */
export class KeptPages {
  readonly #pages = new WeakMap<Page, Kept>();
  readonly #idle: Page[] = [];

  /** A page of the product at this address, by `open` if none is idle or can have the options. */
  async take(
    url: string,
    options: BrowserContextOptions,
    open: (options: BrowserContextOptions) => Promise<Page>,
  ): Promise<Page> {
    if (!Object.keys(options).every((name) => PASSING_OPTIONS.has(name))) return open(options);
    const at = this.#idle.findIndex((page) => this.#pages.get(page)?.url === url);
    const [idle] = at < 0 ? [] : this.#idle.splice(at, 1);
    const page = idle ?? (await this.#keep(await open({}), url));
    await applyOptions(page, options);
    return page;
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
    const listeners = [page, page.context()].map(noteListeners);
    const silence = () => {
      for (const forget of listeners) forget();
    };
    const kept: Kept = { session, url, isChanged: false, silence };
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

/** Returns what takes away the listeners that are added from now on. */
function noteListeners(target: Page | BrowserContext): () => void {
  const added: Listener[] = [];
  for (const name of ['on', 'once'] as const) {
    const add: (event: string, listen: () => void) => unknown = Reflect.get(target as object, name);
    Object.defineProperty(target, name, {
      value(event: string, listen: () => void) {
        added.push({ event, listen });
        return add.call(target, event, listen);
      },
    });
  }
  const remove: (event: string, listen: () => void) => unknown = Reflect.get(
    target as object,
    'off',
  );
  return () => {
    for (const { event, listen } of added.splice(0)) remove.call(target, event, listen);
  };
}

/** Leaves for a small page of the same site, so that the process stays. */
async function isReset(page: Page, { session, url, silence }: Kept): Promise<boolean> {
  const context = page.context();
  try {
    silence();
    const others = context.pages().filter((other) => other !== page);
    await Promise.all(others.map((other) => other.close()));
    await context.setOffline(false);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await page.goto(`${url}/robots.txt`);
    await context.clearCookies();
    await context.clearPermissions();
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
    await session.send('Page.resetNavigationHistory');
    await page.mouse.move(-1, -1);
    return true;
  } catch {
    // Its product has ended, or the page has.
    return false;
  }
}

async function applyOptions(page: Page, options: BrowserContextOptions) {
  const { viewport, colorScheme = null, reducedMotion } = { ...DEFAULTS, ...options };
  if (viewport) await page.setViewportSize(viewport);
  await page.emulateMedia({
    media: null,
    colorScheme,
    contrast: null,
    forcedColors: null,
    reducedMotion,
  });
}
