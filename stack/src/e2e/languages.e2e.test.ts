import { languages } from '@tallyhand/contracts/languages';
import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { openSuite } from './browser.ts';
import { scenes, settled, signInAs } from './scenes.ts';
import { sharedDemo } from './shared-demo.ts';
import { field } from './steps.ts';

const { product, browser } = await openSuite();
const demo = await sharedDemo();

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
    await page.context().close();
  });

  it('is chosen by its own name, applies immediately, keeps the input, and is remembered', async () => {
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
    await page.context().close();
  });

  it('is unchanged when the texts of another cannot be loaded', async () => {
    const page = await browser.newPage(product.url);
    await page.goto('/');
    await switcher(page).click();
    const german = page.getByRole('menuitemradio', { name: 'Deutsch' });
    await german.waitFor();
    browser.mayComplain(/ERR_INTERNET_DISCONNECTED|imported module/);
    await page.context().setOffline(true);
    await german.click();
    await page.getByRole('menuitemradio').first().waitFor({ state: 'detached' });
    await expect.poll(() => langOf(page)).toBe('en');
    await page.getByRole('link', { name: 'Sign In', exact: true }).waitFor();
    await page.context().close();
  });
});

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
    for (const { path } of plain) {
      await page.goto(path);
      await settled(page);
      if ((await page.evaluate(OVERFLOW)) !== 0) wide.push(path);
    }
    expect(wide).toEqual([]);
    await page.context().close();
  });
});
