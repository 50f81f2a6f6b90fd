import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright';
import { settled } from './scenes.ts';

/** How much wider than the window the page is, and the widest element; run in the page. */
const OVERFLOW = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth === clientWidth) return null;
  const isOut = (element) => element.getBoundingClientRect().right > clientWidth;
  const out = [...document.body.querySelectorAll('*')].filter(isOut);
  const first = out.find((element) => ![...element.children].some(isOut));
  // Overflowing text does not move its element.
  const what = first ? first.outerHTML.slice(0, 120) : 'a text';
  return (scrollWidth - clientWidth) + ' pixels wider than its window, by ' + what;
})()`;

/** All faults that axe finds on the current page, with their places. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await settled(page);
  // The product's pages have no frames, so legacy mode misses nothing and saves a second page per
  // analysis.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.target).join(' ')}`);
}

/** The same, and whether the page scrolls sideways. */
export async function pageFaults(page: Page): Promise<string[]> {
  const faults = await accessibilityFaults(page);
  const overflow = await page.evaluate<string | null>(OVERFLOW);
  return overflow === null ? faults : [...faults, overflow];
}
