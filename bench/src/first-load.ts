import { launchChromium } from '@tallyhand/browser-runner/chromium';
import { firstScripts, kilobytesOf, type Script } from '@tallyhand/stack/testing/long-lists';
import { registerOrganization } from '../../test-kit/src/api-client.ts';
import { productFolder } from './product.ts';
import { type Row, row } from './table.ts';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Cookie = { readonly name: string; readonly value: string; readonly url: string };

/** P10: the JavaScript that a first visit loads before the page can be used. */
export async function measureFirstLoad(): Promise<Row[]> {
  await using folder = await productFolder({});
  const { product } = await folder.start();
  const browser = await launchChromium();
  try {
    const { client } = await registerOrganization(product.url);
    const landing = await scriptsOf(browser, `${product.url}/`);
    const cookies = [...client.cookies].map(([name, value]) => ({ name, value, url: product.url }));
    const dashboard = await scriptsOf(browser, `${product.url}/dashboard`, cookies);
    return [
      ...rowsOf('landing page', landing, '110 kB; 90 kB'),
      ...rowsOf('dashboard', dashboard, '175 kB; 150 kB'),
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

function rowsOf(what: string, scripts: readonly Script[], bar: string): Row[] {
  const bySize = scripts.toSorted((a, b) => b.gzipBytes - a.gzipBytes);
  for (const script of bySize) {
    console.log(`${what}: ${script.name} ${kilobytesOf([script]).toFixed(1)} kB`);
  }
  const figure = `${kilobytesOf(scripts).toFixed(1)} kB`;
  return [row(`P10 JavaScript of the ${what}, gzipped (${scripts.length} files)`, figure, bar)];
}
