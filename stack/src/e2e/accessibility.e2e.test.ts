import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoEmail, fillDemo } from '../demo/fill.ts';
import { fillBilling } from './billing-history.ts';
import { pageFaults } from './page-faults.ts';
import type { Scene, Visitor } from './scene.ts';
import { scenes, signInAs } from './scenes.ts';
import { openSuite } from './suite.ts';

const password = randomUUID();

const { product, browser } = await openSuite();
beforeAll(async () => {
  await fillDemo(product.url, password);
  await fillBilling(product.url, demoEmail, password);
});

const areaOf = ({ path }: Scene) => path.split('?')[0] ?? path;

/**
 * Who looks at the same page stays signed in; a newcomer's organization fills meanwhile. A sample: of
 * each page the first scene, and of the others one in three. `npm run screenshots` takes all of them.
 */
const ONE_IN = 3;
const groups: { visitor: Visitor; area: string; shown: Scene[] }[] = [];
for (const [index, scene] of scenes.entries()) {
  const [visitor, area] = [scene.as, areaOf(scene)];
  const group = groups.find((known) => known.visitor === visitor && known.area === area);
  if (!group) groups.push({ visitor, area, shown: [scene] });
  else if (index % ONE_IN === 0) group.shown.push(scene);
}

const LOOKS = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 375 },
  { colorScheme: 'dark', width: 1440 },
  { colorScheme: 'light', width: 375 },
] as const;

/** Each scene in one look, by turns. */
const lookAt = (scene: Scene) => LOOKS[scenes.indexOf(scene) % LOOKS.length] ?? LOOKS[0];

describe.each(groups)('nothing at $area stands in the way of $visitor', ({ visitor, shown }) => {
  let page: Page;
  beforeAll(async () => {
    page = await browser.newPage(product.url);
    await signInAs(page.context(), visitor, { admin: demoEmail, password });
  });
  afterAll(() => page.context().close());

  it.each(shown)('in $name', async (scene) => {
    const { colorScheme, width } = lookAt(scene);
    await page.emulateMedia({ colorScheme, media: 'screen' });
    await page.setViewportSize({ width, height: 900 });
    await page.goto(scene.path);
    await scene.act?.(page);
    expect(await pageFaults(page)).toEqual([]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    browser.expectNoComplaints();
  });
});
