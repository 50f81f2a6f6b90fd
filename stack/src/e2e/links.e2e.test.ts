import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import { describe, expect, it } from 'vitest';
import { openSuite } from './browser.ts';
import { crawl, expectNoDeadEnds } from './crawl.ts';
import type { Visitor } from './scene.ts';
import { signInAs } from './scenes.ts';
import { sharedDemo } from './shared-demo.ts';

const { product, browser } = await openSuite();
const demo = await sharedDemo();

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

const VISITORS = ['admin', 'viewer', 'newcomer'] as const satisfies Visitor[];

describe.each(sampleOf(VISITORS, VISITORS.length))(
  `the links that %s sees (${sampleName()})`,
  (visitor) => {
    it('lead to existing pages', async () => {
      const page = await browser.newPage(product.url);
      await signInAs(page.context(), visitor, demo);
      const found = await crawl(page, product.url, '/dashboard');
      // A visitor would be redirected to the sign-in.
      expect(SHELL.map((path) => found.get(path)?.pathname)).toEqual(SHELL);
      expectNoDeadEnds(found, product.url);
      await page.context().close();
    });
  },
);
