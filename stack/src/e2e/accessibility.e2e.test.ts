import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import { beforeAll, describe, expect, it } from 'vitest';
import { openSuite } from './browser.ts';
import { pageFaults } from './page-faults.ts';
import type { Scene, Visitor } from './scene.ts';
import { scenes, signInAs } from './scenes.ts';
import { sharedDemo } from './shared-demo.ts';

const { product, browser } = await openSuite();
const demo = await sharedDemo();
const page = await browser.newPage(product.url);

const areaOf = ({ path }: Scene) => path.split('?')[0] ?? path;

/**
 * A sample; `npm run screenshots` takes all. Scenes of the same page share a sign-in, and a
 * newcomer's organization fills meanwhile.
 */
const groups: { visitor: Visitor; area: string; shown: Scene[] }[] = [];
for (const scene of sampleOf(scenes, 10)) {
  const [visitor, area] = [scene.as, areaOf(scene)];
  const group = groups.find((known) => known.visitor === visitor && known.area === area);
  if (group) group.shown.push(scene);
  else groups.push({ visitor, area, shown: [scene] });
}

const LOOKS = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 375 },
  { colorScheme: 'dark', width: 1440 },
  { colorScheme: 'light', width: 375 },
] as const;

/** Each scene in one appearance, in turns. */
const lookAt = (scene: Scene) => LOOKS[scenes.indexOf(scene) % LOOKS.length] ?? LOOKS[0];

describe.each(groups)(
  `nothing at $area blocks $visitor (${sampleName()})`,
  ({ visitor, shown }) => {
    beforeAll(async () => {
      // The page that the groups before it left may still ask for something.
      await page.goto('/robots.txt');
      await page.context().clearCookies();
      await signInAs(page.context(), visitor, demo);
    });

    it.each(shown)('in $name', async (scene) => {
      const { colorScheme, width } = lookAt(scene);
      await page.emulateMedia({ colorScheme, media: 'screen' });
      await page.setViewportSize({ width, height: 900 });
      await page.goto(scene.path);
      await scene.act?.(page);
      expect(await pageFaults(page)).toEqual([]);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      if (scene.complains) browser.mayComplain(/./);
    });
  },
);
