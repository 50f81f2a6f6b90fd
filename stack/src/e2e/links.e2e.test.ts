import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { demoEmail, fillDemo } from '../demo/fill.ts';
import { crawl, expectNoDeadEnds } from './crawl.ts';
import type { Visitor } from './scene.ts';
import { signInAs } from './scenes.ts';
import { openSuite } from './suite.ts';

const password = randomUUID();

const { product, browser } = await openSuite();
beforeAll(async () => {
  await fillDemo(product.url, password);
});

const SHELL = [
  '/dashboard',
  '/agents',
  '/autonomous',
  '/tasks',
  '/knowledge',
  '/tools',
  '/billing',
  '/team',
  '/settings',
];

describe.each(['admin', 'viewer', 'newcomer'] as const satisfies Visitor[])(
  'the links that %s sees',
  (visitor) => {
    it('lead to pages that there are', async () => {
      const page = await browser.newPage(product.url);
      await signInAs(page.context(), visitor, { admin: demoEmail, password });
      const found = await crawl(page, product.url, '/dashboard');
      // Whoever is not known would be led to the sign-in.
      expect(SHELL.map((path) => found.get(path)?.pathname)).toEqual(SHELL);
      expectNoDeadEnds(found, product.url);
      await page.context().close();
      browser.expectNoComplaints();
    });
  },
);
