import { launchChromium } from '@tallyhand/browser-runner/chromium';
import type { Browser, BrowserContextOptions, Page } from 'playwright';
import { expect } from 'vitest';
import { accessibilityFaults } from './page-faults.ts';

/** Pages on a real browser; what they complain about is a fault, but for refusals asked for. */
export async function openBrowser() {
  const browser: Browser = await launchChromium();
  const complaints: string[] = [];

  return {
    /** A page with cookies of its own. */
    async newPage(url: string, options: BrowserContextOptions = {}): Promise<Page> {
      const context = await browser.newContext({
        baseURL: url,
        viewport: { width: 1440, height: 900 },
        reducedMotion: 'reduce',
        ...options,
      });
      context.setDefaultTimeout(20_000);
      const page = await context.newPage();
      page.on('pageerror', ({ message }) => complaints.push(message));
      page.on('console', (message) => {
        const isRefusal = /the server responded with a status of 4\d\d/.test(message.text());
        if (message.type() === 'error' && !isRefusal) complaints.push(message.text());
      });
      return page;
    },
    /** What pages wrote to the console as errors, the Content-Security-Policy's among them. */
    expectNoComplaints: () => expect(complaints).toEqual([]),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

export type TestBrowser = Awaited<ReturnType<typeof openBrowser>>;

/** Nothing that axe knows of stands in anybody's way on the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await accessibilityFaults(page)).toEqual([]);
}
