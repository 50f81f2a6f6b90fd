import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright';
import { settled } from './scenes.ts';

/** How far the page is wider than its window; run in the page. */
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** What stands in anybody's way on the page as it is now: all that axe knows of, with its places. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await settled(page);
  // Our pages have no frames: what legacy mode leaves out is a second page for each analysis.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.target).join(' ')}`);
}

/** The same, and whether the page has to be scrolled sideways. */
export async function pageFaults(page: Page): Promise<string[]> {
  const faults = await accessibilityFaults(page);
  const overflow = await page.evaluate<number>(OVERFLOW);
  return overflow === 0 ? faults : [...faults, `${overflow} pixels wider than its window`];
}
