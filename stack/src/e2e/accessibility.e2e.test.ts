import { PUBLIC_PATHS } from '@tallyhand/contracts/web-paths';
import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import { beforeAll, describe, expect, it } from 'vitest';
import { openSuite } from './browser.ts';
import { crawl, expectNoDeadEnds, goByLink } from './crawl.ts';
import { pageFaults } from './page-faults.ts';
import type { Scene, Visitor } from './scene.ts';
import { scenes, settled, signInAs } from './scenes.ts';
import { sharedDemo } from './shared-demo.ts';
import { leaveFor } from './steps.ts';

const { product, browser } = await openSuite();
const demo = await sharedDemo();
const page = await browser.newPage(product.url);

const areaOf = ({ path }: Scene) => path.split('?')[0] ?? path;

/**
 * A sample; `npm run screenshots` takes all. Scenes of the same page share a sign-in, and a
 * newcomer's organization fills meanwhile.
 */
const groups: { visitor: Visitor; area: string; shown: Scene[] }[] = [];
for (const scene of sampleOf(scenes, 15)) {
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

/** Words are longest in German; those of the others are hard to break, or wide. */
const LONGEST = 'de';
const WIDE = ['ru', 'ja', 'ko'];
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** A sample; `npm run screenshots` takes each scene in every language. */
const phones = sampleOf(
  (['visitor', 'admin'] as const).flatMap((visitor) =>
    [LONGEST, ...WIDE].map((code) => ({ visitor, code })),
  ),
  8,
);

describe(`pages (${sampleName()})`, () => {
  it.each(phones)('of $visitor in $code fit a phone', async ({ visitor, code }) => {
    const viewport = { width: 375, height: 900 };
    const page = await browser.newPage(product.url, { locale: code, viewport });
    await signInAs(page.context(), visitor, demo);
    const wide: string[] = [];
    const plain = scenes.filter(({ as, act }) => as === visitor && !act);
    let before = '';
    for (const scene of sampleOf(plain, 3)) {
      const { path } = scene;
      const isInside = visitor === 'admin' && before !== '' && before !== areaOf(scene);
      await (isInside ? leaveFor(page, path) : page.goto(path));
      before = areaOf(scene);
      await settled(page);
      if ((await page.evaluate(OVERFLOW)) !== 0) wide.push(path);
    }
    expect(wide).toEqual([]);
  });
});

const SHELL = [
  '/dashboard',
  '/agents',
  '/autonomous',
  '/tasks',
  '/approvals',
  '/knowledge',
  '/tools',
  '/billing',
  '/team',
  '/settings',
];

const MEMBERS = ['admin', 'viewer', 'newcomer'] as const satisfies Visitor[];

describe.each(sampleOf(MEMBERS, MEMBERS.length))(
  `the links that %s sees (${sampleName()})`,
  (visitor) => {
    it('lead to existing pages', async () => {
      const page = await browser.newPage(product.url);
      await signInAs(page.context(), visitor, demo);
      const found = await crawl(page, product.url, '/dashboard', {
        // Another test looks at all of them.
        known: PUBLIC_PATHS,
        go: goByLink,
      });
      // A visitor would be redirected to the sign-in.
      expect(SHELL.map((path) => found.get(path)?.pathname)).toEqual(SHELL);
      expectNoDeadEnds(found, product.url);
    });
  },
);
