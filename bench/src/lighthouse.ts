import { launchChromium } from '@tallyhand/browser-runner/chromium';
import { freePort } from '@tallyhand/service-kit/free-port';
import { registerOrganization } from '../../test-kit/src/api-client.ts';
import { startChild } from './child.ts';
import { productFolder } from './product.ts';
import { type Row, row } from './table.ts';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Cookies = ReadonlyMap<string, string>;
/** What judges/scores.js sends: a score from 0 to 1 for each category, and what lowers them. */
type Scores = {
  readonly scores: Readonly<Record<string, number | null>>;
  readonly faults: readonly string[];
};
type Visit = { readonly port: number; readonly skipAudits?: readonly string[] };

/** Of the timed score the one in the middle counts; the others are the same each time. */
const RUNS = 5;
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

async function scoresOf(what: string, url: string, visit: Visit): Promise<Row[]> {
  const results: Scores[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    using judge = startChild(new URL('../../judges/scores.js', import.meta.url), { url, ...visit });
    results.push(await judge.told<Scores>());
  }
  const speed = ({ scores }: Scores) => scores.performance ?? 0;
  const middle = results.toSorted((a, b) => speed(a) - speed(b))[Math.floor(RUNS / 2)];
  if (!middle) return [];
  for (const fault of middle.faults) console.log(`Lighthouse, ${what}: ${fault}`);
  return CATEGORIES.map((category) => {
    const score = Math.round((middle.scores[category] ?? 0) * 100);
    return row(`P10 Lighthouse of the ${what}: ${category}`, String(score), '95; 100');
  });
}

/** Lighthouse opens pages of its own, which have the browser's own cookies. */
async function signIn(browser: Browser, url: string, cookies: Cookies) {
  const session = await browser.newBrowserCDPSession();
  await session.send('Storage.setCookies', {
    cookies: [...cookies].map(([name, value]) => ({ name, value, url })),
  });
  await session.detach();
}
