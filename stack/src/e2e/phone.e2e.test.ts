import { agentInput } from '@tallyhand/test-kit/api-client';
import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import { anArticle, dialog, goInside, leaveFor, press, registered } from './steps.ts';

const { product, browser } = await openSuite();

const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

async function phone(width: number, locale = 'en') {
  const page = await browser.newPage(product.url, {
    viewport: { width, height: 667 },
    hasTouch: true,
    isMobile: true,
    locale,
  });
  await registered(page, 'Nordwind Handelsgesellschaft');
  const { id } = await (await page.request.post('/api/agents', { data: agentInput })).json();
  return { page, agentId: id as string };
}

/** The buttons and links beside the title stand in one row, within the screen. */
async function rowsOfHead(page: Page) {
  const title = page.getByRole('heading', { level: 1 });
  await title.waitFor();
  const controls = page.locator('main h1').locator('xpath=../..').locator('a, button');
  // Read together: the header changes once it is known whether the list is empty.
  return controls.evaluateAll((all) =>
    all
      .filter((it) => it.closest('.phone-bar') === null && it.checkVisibility())
      .map((it) => it.getBoundingClientRect().toJSON()),
  );
}

const PATHS = ['/dashboard', '/agents', '/knowledge', '/tools', '/team', '/autonomous'];

const WIDTHS = [320, 375];

describe(`pages of members on a phone (${sampleName()})`, () => {
  it.each(sampleOf(['de', 'ja'], 2))('have a head in one row, in %s', async (locale) => {
    const { page, agentId } = await phone(WIDTHS[0] ?? 0, locale);
    const head = page.getByRole('banner');
    for (const path of [...PATHS, `/agents/${agentId}`, `/agents/${agentId}/execute`]) {
      await (path === PATHS[0] ? page.goto(path) : leaveFor(page, path));
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 667 });
        const boxes = await rowsOfHead(page);
        const seen = { path, width, wider: await page.evaluate(OVERFLOW) };
        expect(seen).toEqual({ path, width, wider: 0 });
        expect(new Set(boxes.map(({ y, height }) => y + height / 2)).size, path).toBeLessThan(2);
        for (const { x, width: own } of boxes) expect(x + own, path).toBeLessThanOrEqual(width);
      }
    }
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 667 });
      await expect.poll(() => head.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
    }
  });

  it('show the name of the organization, have one action below all content, and the others, language and theme in menus', async () => {
    const { page } = await phone(320);
    await page.goto('/team');
    const name = page.getByRole('banner').getByText('Nordwind Handelsgesellschaft');
    await page.getByRole('banner').getByText('100 credits').waitFor();
    expect((await name.boundingBox())?.width).toBeGreaterThan(64);
    await press(page, 'More actions');
    await page.getByRole('menuitem', { name: 'Copy Invite Link' }).waitFor();
    await expectAccessible(page);

    expect((await page.request.post('/api/knowledge', { data: anArticle })).ok()).toBe(true);
    await page.setViewportSize({ width: 375, height: 667 });
    await page.keyboard.press('Escape');
    await goInside(page, '/knowledge');
    const add = page.getByRole('button', { name: 'Add Article' });
    await add.waitFor();
    const box = await add.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeGreaterThan(667 - 20);
    expect(box?.width).toBeGreaterThan(300);
    await expectAccessible(page);
    await page.setViewportSize({ width: 375, height: 380 });
    await page.getByRole('article', { name: anArticle.title }).waitFor();
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    const last = await page.locator('main > *').last().boundingBox();
    const top = (await add.boundingBox())?.y ?? 0;
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(top);
    await add.tap();
    await dialog(page).waitFor();
    expect(new URL(page.url()).search).toBe('?new=article');

    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 320, height: 667 });
    // The drawer changes language and theme, and leads to the settings.
    await press(page, 'Open menu');
    await dialog(page).getByLabel('Theme').selectOption({ label: 'Dark' });
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await dialog(page).getByLabel('Language').selectOption({ label: 'Deutsch' });
    await dialog(page).getByLabel('Sprache').waitFor();
    await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe('de');
    await expectAccessible(page);
    await dialog(page).getByRole('link', { name: 'Einstellungen' }).click();
    await page.waitForURL('**/settings');
    await dialog(page).waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('banner').getByRole('button').count()).toBe(3);
  });
});
