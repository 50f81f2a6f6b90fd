import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoEmail, fillDemo } from '../demo/fill.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';
import { fillBilling } from './billing-history.ts';
import { expectAccessible, openBrowser, type TestBrowser } from './browser.ts';
import type { Scene, Visitor } from './scene.ts';
import { scenes, signInAs } from './scenes.ts';

let product: TestProduct;
let browser: TestBrowser;
const password = randomUUID();

beforeAll(async () => {
  product = await startTestProduct();
  browser = await openBrowser();
  await fillDemo(product.url, password);
  await fillBilling(product.url, demoEmail, password);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

const areaOf = ({ path }: Scene) => path.split('?')[0] ?? path;

/** The scenes of each visitor, page by page: all at once would take too long for one test. */
const groups: { visitor: Visitor; area: string }[] = [];
for (const scene of scenes) {
  const [visitor, area] = [scene.as, areaOf(scene)];
  const isKnown = groups.some((group) => group.visitor === visitor && group.area === area);
  if (!isKnown) groups.push({ visitor, area });
}

/** How far the page is wider than its window; run in the page. */
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

describe.each([
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 375 },
] as const)('in $colorScheme colours on $width pixels', ({ colorScheme, width }) => {
  it.each(groups)(
    'no page or dialog at $area stands in the way of $visitor',
    async ({ visitor, area }) => {
      const page = await browser.newPage(product.url, {
        colorScheme,
        viewport: { width, height: 900 },
      });
      await signInAs(page.context(), visitor, { admin: demoEmail, password });
      const shown = scenes.filter((scene) => scene.as === visitor && areaOf(scene) === area);
      for (const { path, act } of shown) {
        await page.goto(path);
        await act?.(page);
        await expectAccessible(page);
        expect(await page.evaluate(OVERFLOW)).toBe(0);
        await page.unrouteAll({ behavior: 'ignoreErrors' });
      }
      await page.context().close();
      browser.expectNoComplaints();
    },
  );
});
