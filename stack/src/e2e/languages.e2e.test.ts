import { languages } from '@tallyhand/contracts/languages';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { openSuite } from './browser.ts';
import { field } from './steps.ts';

const { product, browser } = await openSuite();

const langOf = (page: Page) => page.locator('html').getAttribute('lang');
const switcher = (page: Page) => page.getByRole('button', { name: /^(Language|Sprache):/ });

/** The translation files that a page requested, without the hash in their names. */
function wordsAskedFor(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const name = /\/assets\/(common|landing|agents|validation)-[\w-]+\.js$/.exec(
      request.url(),
    )?.[1];
    if (name) asked.push(name);
  });
  return asked;
}

describe('the language', () => {
  it("is the browser's where it is spoken here, and only its words are loaded", async () => {
    const page = await browser.newPage(product.url, { locale: 'de-AT' });
    const asked = wordsAskedFor(page);
    await page.goto('/');
    await switcher(page).waitFor();
    await expect.poll(() => langOf(page)).toBe('de');
    await page.getByRole('link', { name: 'Anmelden', exact: true }).waitFor();
    expect(asked.sort()).toEqual(['common', 'landing']);
  });

  it('is chosen by its own name, applies immediately, keeps the input, and is remembered, also when another cannot be loaded', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/auth');
    await field(page, 'email').fill('anna@example.com');
    await switcher(page).click();
    const choices = page.getByRole('menuitemradio');
    await choices.first().waitFor();
    await expect.poll(() => choices.allTextContents()).toEqual(languages.map(({ name }) => name));
    await expect.poll(() => choices.locator('img[alt=""]').count()).toBe(languages.length);
    await choices.getByText('Deutsch').click();
    await page.getByRole('heading', { name: 'Willkommen zurück' }).waitFor();
    await expect.poll(() => field(page, 'email').inputValue()).toBe('anna@example.com');
    await expect.poll(() => langOf(page)).toBe('de');
    await expect.poll(() => page.title()).toBe('Anmelden · Tallyhand');

    await page.reload();
    await page.getByRole('heading', { name: 'Willkommen zurück' }).waitFor();

    // Without a network the words of another one can't be loaded: nothing changes.
    await switcher(page).click();
    const japanese = page.getByRole('menuitemradio', { name: '日本語' });
    await japanese.waitFor();
    browser.mayComplain(/ERR_INTERNET_DISCONNECTED|imported module/);
    await page.route('**/*', (route) => route.abort('internetdisconnected'));
    const failed = page.waitForEvent('requestfailed');
    await japanese.click();
    await failed;
    await choices.first().waitFor({ state: 'detached' });
    await expect.poll(() => langOf(page)).toBe('de');
    await page.getByRole('heading', { name: 'Willkommen zurück' }).waitFor();
  });
});
