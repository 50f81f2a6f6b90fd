import { gzipSync } from 'node:zlib';
import { launchChromium } from '@tallyhand/browser-runner/chromium';
import { registerOrganization } from '../../stack/src/testing/api-client.ts';
import { productFolder } from './product.ts';
import { type Row, row } from './table.ts';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Cookie = { readonly name: string; readonly value: string; readonly url: string };
type Script = { readonly name: string; readonly gzipBytes: number };

/** P10: the JavaScript that a first visit loads before the page can be used. */
export async function measureFirstLoad(): Promise<Row[]> {
  await using folder = await productFolder({});
  const { product } = await folder.start();
  const browser = await launchChromium();
  try {
    const { client } = await registerOrganization(product.url);
    const landing = await scriptsOf(browser, product.url, '/');
    const cookies = [...client.cookies].map(([name, value]) => ({ name, value, url: product.url }));
    const dashboard = await scriptsOf(browser, product.url, '/dashboard', cookies);
    return [
      ...rowsOf('landing page', landing, '150 kB; 90 kB'),
      ...rowsOf('dashboard', dashboard, '250 kB; 180 kB'),
    ];
  } finally {
    await browser.close();
    await product.stop();
  }
}

/** The scripts that are asked for before the page shows itself: then its links and buttons work. */
async function scriptsOf(
  browser: Browser,
  url: string,
  path: string,
  cookies: readonly Cookie[] = [],
): Promise<Script[]> {
  const context = await browser.newContext({ baseURL: url });
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.addInitScript(MARK_WHEN_SHOWN);
  await page.goto(path);
  await page.waitForFunction(() => performance.getEntriesByName('shown').length > 0);
  const addresses = await page.evaluate(() => {
    const shownAt = performance.getEntriesByName('shown')[0]?.startTime ?? 0;
    const asked = performance.getEntriesByType('resource');
    return asked.filter(({ startTime }) => startTime < shownAt).map(({ name }) => name);
  });
  await context.close();
  const scripts = [...new Set(addresses)].filter((address) => address.endsWith('.js'));
  return Promise.all(
    scripts.map(async (address) => ({
      name: new URL(address).pathname,
      gzipBytes: gzipSync(await (await fetch(address)).bytes(), { level: 9 }).length,
    })),
  );
}

/** Runs in the page, before anything else. */
const MARK_WHEN_SHOWN = `new MutationObserver((_changes, observer) => {
  if (!document.querySelector('main h1')) return;
  performance.mark('shown');
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });`;

const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

function rowsOf(what: string, scripts: readonly Script[], bar: string): Row[] {
  const bytes = scripts.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0);
  const bySize = scripts.toSorted((a, b) => b.gzipBytes - a.gzipBytes);
  for (const { name, gzipBytes } of bySize) console.log(`${what}: ${name} ${kB(gzipBytes)}`);
  return [row(`P10 JavaScript of the ${what}, gzipped (${scripts.length} files)`, kB(bytes), bar)];
}
