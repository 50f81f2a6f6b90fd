import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright';

export type Script = { readonly name: string; readonly gzipBytes: number };

/** Runs in the page, before anything else. */
const MARK_WHEN_SHOWN = `new MutationObserver((_changes, observer) => {
  if (!document.querySelector('main h1')) return;
  performance.mark('shown');
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });`;

/** The scripts that are asked for before a page shows itself: then its links and buttons work. */
export async function firstScripts(page: Page, address: string): Promise<readonly Script[]> {
  await page.addInitScript(MARK_WHEN_SHOWN);
  await page.goto(address);
  await page.waitForFunction(() => performance.getEntriesByName('shown').length > 0);
  const asked = await page.evaluate(() => {
    const shownAt = performance.getEntriesByName('shown')[0]?.startTime ?? 0;
    const resources = performance.getEntriesByType('resource');
    return resources.filter(({ startTime }) => startTime < shownAt).map(({ name }) => name);
  });
  const scripts = [...new Set(asked)].filter((name) => name.endsWith('.js'));
  return Promise.all(
    scripts.map(async (script) => ({
      name: new URL(script).pathname,
      gzipBytes: gzipSync(await (await fetch(script)).bytes(), { level: 9 }).length,
    })),
  );
}

/** What all of them weigh together, in thousands of bytes. */
export const kilobytesOf = (scripts: readonly Script[]) =>
  scripts.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0) / 1000;
