import { launchChromium } from '@tallyhand/browser-runner/chromium';
import { firstScripts, kilobytesOf, type Script } from '@tallyhand/stack/testing/long-lists';
import { registerOrganization } from '../../test-kit/src/api-client.ts';
import { percentile } from './load.ts';
import { productFolder } from './product.ts';
import { ms, type Row, row } from './table.ts';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Cookie = { readonly name: string; readonly value: string; readonly url: string };

/** Pages of different size, each with its own code. */
const PAGES = ['agents', 'tools', 'tasks', 'audit', 'settings'];
const VISITS = 6;

/**
 * P10: the JavaScript that a first visit loads before the page can be used; and the time until a page
 * that is opened by its address shows its heading.
 */
export async function measureFirstLoad(): Promise<Row[]> {
  await using folder = await productFolder({});
  const { product } = await folder.start();
  const browser = await launchChromium();
  try {
    const { client } = await registerOrganization(product.url);
    const landing = await scriptsOf(browser, `${product.url}/`);
    const cookies = [...client.cookies].map(([name, value]) => ({ name, value, url: product.url }));
    const dashboard = await scriptsOf(browser, `${product.url}/dashboard`, cookies);
    const shown = await shownAfter(browser, product.url, cookies);
    return [
      ...rowsOf('landing page', landing, '110 kB; 90 kB'),
      ...rowsOf('dashboard', dashboard, '175 kB; 150 kB'),
      row('page by its address until its heading, first visit, p50', ms(shown.first)),
      row('page by its address until its heading, later visits, p50', ms(shown.later)),
    ];
  } finally {
    await browser.close();
    await product.stop();
  }
}

async function scriptsOf(browser: Browser, address: string, cookies: readonly Cookie[] = []) {
  const context = await browser.newContext();
  await context.addCookies(cookies);
  const scripts = await firstScripts(await context.newPage(), address);
  await context.close();
  return scripts;
}

/** Medians in milliseconds. */
async function shownAfter(browser: Browser, url: string, cookies: readonly Cookie[]) {
  const first: number[] = [];
  const later: number[] = [];
  for (const path of PAGES) {
    const context = await browser.newContext();
    await context.addCookies(cookies);
    const page = await context.newPage();
    for (let visit = 0; visit < VISITS; visit += 1) {
      const begun = performance.now();
      await page.goto(`${url}/${path}`, { waitUntil: 'commit' });
      await page.getByRole('heading', { level: 1 }).waitFor();
      (visit === 0 ? first : later).push(performance.now() - begun);
      await page.waitForLoadState('networkidle');
    }
    await context.close();
  }
  return { first: percentile(first, 0.5), later: percentile(later, 0.5) };
}

function rowsOf(what: string, scripts: readonly Script[], bar: string): Row[] {
  const bySize = scripts.toSorted((a, b) => b.gzipBytes - a.gzipBytes);
  for (const script of bySize) {
    console.log(`${what}: ${script.name} ${kilobytesOf([script]).toFixed(1)} kB`);
  }
  const figure = `${kilobytesOf(scripts).toFixed(1)} kB`;
  return [row(`P10 JavaScript of the ${what}, gzipped (${scripts.length} files)`, figure, bar)];
}
