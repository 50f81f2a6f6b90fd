import type { Page } from 'playwright';
import { expect } from 'vitest';
import { settled } from './scenes.ts';
import { leaveFor } from './steps.ts';

const PAGES_MAX = 120;
/** Of addresses that differ only in ids; a second page shows whether the first one was typical. */
const ALIKE_MAX = 2;

/** The content of a page. */
export type Seen = {
  /** The final address. */
  readonly pathname: string;
  readonly links: readonly string[];
  readonly ids: readonly string[];
  readonly levels: readonly number[];
  readonly title: string;
  readonly description: string;
  readonly mains: number;
  readonly isNowhere: boolean;
};

/** Run in the page. */
const LOOK = `({
  pathname: location.pathname,
  links: [...document.querySelectorAll('a[href]')].map((a) => a.href),
  ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  levels: [...document.querySelectorAll('h1,h2,h3,h4')].map(({ tagName }) => Number(tagName[1])),
  title: document.title,
  description: document.querySelector('meta[name=description]').content,
  mains: document.querySelectorAll('main').length,
  isNowhere: /not found/i.test(document.querySelector('h1').textContent),
})`;

const shapeOf = (path: string) =>
  path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}').replace(/=\d+/g, '={number}');

type Way = {
  /** Pages at these addresses are visited only if a link leads to a place on them. */
  readonly known?: readonly string[];
  /** By default each page is loaded. */
  readonly go?: (page: Page, path: string) => Promise<unknown>;
};

/** Inside of the application, as a link leads; loads a page that the same component shows. */
export function goByLink(page: Page, path: string): Promise<unknown> {
  const [from, to] = [page.url(), path].map((url) => shapeOf(new URL(url, page.url()).pathname));
  return from === to ? page.goto(path) : leaveFor(page, path);
}

/** All pages that are reachable by links from `start`. */
export async function crawl(
  page: Page,
  origin: string,
  start: string,
  { known = [], go = (_, path) => page.goto(path) }: Way = {},
): Promise<ReadonlyMap<string, Seen>> {
  const found = new Map<string, Seen>();
  const shapes = new Map<string, number>();
  const files = new Set<string>();
  const waiting = [start];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const alike = shapes.get(shapeOf(path)) ?? 0;
    if (found.has(path) || alike >= ALIKE_MAX) continue;
    shapes.set(shapeOf(path), alike + 1);
    expect(found.size).toBeLessThan(PAGES_MAX);
    await (found.size === 0 ? page.goto(path) : go(page, path));
    await settled(page);
    const seen = await page.evaluate<Seen>(LOOK);
    found.set(path, seen);
    for (const link of seen.links) {
      const url = new URL(link);
      if (url.origin !== origin) continue;
      // Addresses below /api/ are not pages.
      if (url.pathname.startsWith('/api/')) files.add(`${url.pathname}${url.search}`);
      else if (url.hash || !known.includes(url.pathname))
        waiting.push(`${url.pathname}${url.search}`);
    }
  }
  for (const file of files) {
    expect([file, (await page.request.get(file)).status()]).toEqual([file, 200]);
  }
  return found;
}

/** Every linked page exists, and so does every linked place on it. */
export function expectNoDeadEnds(found: ReadonlyMap<string, Seen>, origin: string): void {
  for (const [path, { links, isNowhere }] of found) {
    expect([path, isNowhere]).toEqual([path, false]);
    for (const link of links) {
      const url = new URL(link);
      const target = found.get(`${url.pathname}${url.search}`);
      if (url.origin !== origin || !url.hash || !target) continue;
      expect([link, target.ids.includes(url.hash.slice(1))]).toEqual([link, true]);
    }
  }
}
