import { launchChromium } from '@tallyhand/browser-runner/chromium';
import lighthouse, { type Flags, type Result } from 'lighthouse';
import { freePort } from '../../stack/src/testing/instances/free-port.ts';
import { registerOrganization } from '../../test-kit/src/api-client.ts';
import { productFolder } from './product.ts';
import { type Row, row } from './table.ts';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Cookies = ReadonlyMap<string, string>;

/** Of the timed score the one in the middle counts; the others are the same each time. */
const RUNS = 3;
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
const SIGNED_IN_ONLY = 'is-crawlable';

/**
 * P10: Lighthouse as it comes, which is a phone on slow 4G with a quarter of this machine's speed. What
 * only the signed-in see is nothing for search engines, and says so: that one rule is left out there.
 */
export async function measureLighthouse(): Promise<Row[]> {
  await using folder = await productFolder({});
  const { product } = await folder.start();
  const port = await freePort();
  const browser = await launchChromium({ flags: [`--remote-debugging-port=${port}`] });
  try {
    const { client } = await registerOrganization(product.url);
    const landing = await scoresOf('landing page', `${product.url}/`, { port });
    await signIn(browser, product.url, client.cookies);
    const dashboard = await scoresOf('dashboard', `${product.url}/dashboard`, {
      port,
      skipAudits: [SIGNED_IN_ONLY],
    });
    return [...landing, ...dashboard];
  } finally {
    await browser.close();
    await product.stop();
  }
}

async function scoresOf(what: string, url: string, flags: Flags): Promise<Row[]> {
  const results: Result[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const { lhr } = (await lighthouse(url, { ...flags, logLevel: 'error' })) ?? {};
    if (!lhr || lhr.runtimeError) throw new Error(`Lighthouse: ${lhr?.runtimeError?.message}`);
    results.push(lhr);
  }
  const speed = (result: Result) => result.categories.performance?.score ?? 0;
  const middle = results.toSorted((a, b) => speed(a) - speed(b))[Math.floor(RUNS / 2)];
  if (!middle) return [];
  for (const fault of faultsOf(middle)) console.log(`Lighthouse, ${what}: ${fault}`);
  return CATEGORIES.map((category) => {
    const score = Math.round((middle.categories[category]?.score ?? 0) * 100);
    return row(`P10 Lighthouse of the ${what}: ${category}`, String(score), '90; 100');
  });
}

/** What keeps a score from being whole. */
const faultsOf = ({ audits, categories }: Result) =>
  Object.values(categories)
    .flatMap(({ auditRefs }) => auditRefs)
    .filter(({ weight }) => weight > 0)
    .flatMap(({ id }) => audits[id] ?? [])
    .filter(({ score }) => score !== null && score < 1)
    .map(({ id, score, displayValue = '' }) => `${id} ${score} ${displayValue}`.trim());

/** Lighthouse opens pages of its own, which have the browser's own cookies. */
async function signIn(browser: Browser, url: string, cookies: Cookies) {
  const session = await browser.newBrowserCDPSession();
  await session.send('Storage.setCookies', {
    cookies: [...cookies].map(([name, value]) => ({ name, value, url })),
  });
  await session.detach();
}
