import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright';
import { settled } from './scenes.ts';

/** How far the page is wider than its window, and what stands out furthest; run in the page. */
const OVERFLOW = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth === clientWidth) return null;
  const isOut = (element) => element.getBoundingClientRect().right > clientWidth;
  const out = [...document.body.querySelectorAll('*')].filter(isOut);
  const first = out.find((element) => ![...element.children].some(isOut));
  // Text that runs out of its element leaves that where it is.
  const what = first ? first.outerHTML.slice(0, 120) : 'a text';
  return (scrollWidth - clientWidth) + ' pixels wider than its window, by ' + what;
})()`;

/** Everything that axe finds on the page as it is now, with its places. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await settled(page);
  // Our pages have no frames: what legacy mode leaves out is a second page for each analysis.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.target).join(' ')}`);
}

/** The same, and whether the page has to be scrolled sideways. */
export async function pageFaults(page: Page): Promise<string[]> {
  const faults = await accessibilityFaults(page);
  const overflow = await page.evaluate<string | null>(OVERFLOW);
  return overflow === null ? faults : [...faults, overflow];
}
