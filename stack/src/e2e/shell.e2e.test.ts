import {
  beginSecondFactor,
  confirmSecondFactor,
  endOtherSignIns,
} from '@tallyhand/contracts/features/identity/account.endpoints';
import { signIn } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { agentInput, apiClient } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { shownCode } from '../testing/mailed-links.ts';
import { expectAccessible, openSuite } from './browser.ts';
import {
  anArticle,
  aTool,
  dialog,
  dialogIsGone,
  field,
  goInside,
  password,
  press,
  registered,
  someone,
} from './steps.ts';

const { product, browser } = await openSuite();

const PHONE = { viewport: { width: 375, height: 720 }, hasTouch: true, isMobile: true };

async function member(options = {}) {
  const page = await browser.newPage(product.url, options);
  const { email } = await registered(page, 'Harbour Books');
  await page.request.post('/api/agents', { data: agentInput });
  await page.request.post('/api/knowledge', { data: anArticle });
  await page.request.post('/api/tools', { data: aTool });
  return { page, email };
}

const box = (page: Page) => page.getByRole('combobox', { name: 'Search' });
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });
const chosen = (page: Page) => page.getByRole('option', { selected: true }).innerText();

describe('the search palette', () => {
  it('opens results by keyboard alone, remembers them, and reports where there are none', async () => {
    const { page } = await member();
    await page.goto('/dashboard');
    await page.getByRole('button', { name: 'Search' }).waitFor();
    await page.keyboard.press('Control+k');
    await box(page).waitFor();
    await expectAccessible(page);
    await page.keyboard.type('supp');
    await option(page, /^Support/).waitFor();
    await expect.poll(() => page.locator('mark').first().innerText()).toBe('Supp');
    await expect.poll(() => chosen(page)).toContain('Support');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/agents\/[^/]+\/execute$/);
    await page.keyboard.press('Control+k');
    await page.getByRole('group', { name: 'Recently opened' }).getByText('Support').waitFor();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => chosen(page)).toContain('Settings');
    await page.keyboard.press('Escape');
    await dialogIsGone(page);

    await press(page, 'Search');
    await box(page).fill('zzz');
    await page.getByText('No results for “zzz”').waitFor();
    // Enter belongs to an input method while it composes a word.
    await box(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    await expect.poll(() => box(page).isVisible()).toBe(true);
    expect(new URL(page.url()).pathname).toMatch(/\/execute$/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/tasks?q=zzz');

    await page.route('**/api/search?*', (route) => route.fulfill({ status: 429, json: {} }));
    await press(page, 'Search');
    await box(page).fill('returns');
    await page.getByText('Search failed').waitFor();
    await page.unroute('**/api/search?*');
    await press(dialog(page), 'Try again');
    await option(page, /^Returns/).click();
    await page.waitForURL('**/knowledge?article=*');
  });
});

/** Ends a member's sign-ins from another device. */
async function endElsewhere(email: string, page: Page, code?: string) {
  const other = apiClient(product.url);
  await other.call(signIn, { body: { email, password, ...(code && { code }) } });
  expect((await other.call(endOtherSignIns)).status).toBe(204);
  expect((await page.request.get('/api/user')).status()).toBe(401);
}

async function typedArticle(page: Page) {
  await press(page, 'Add Article');
  await dialog(page).getByLabel('Title').fill('Opening hours');
  await dialog(page).getByLabel('Content').fill('We open at nine. '.repeat(200));
  await dialog(page).getByLabel('Category').fill('General');
}

const again = (page: Page) => page.getByRole('dialog', { name: 'Sign in again' });

async function signInAgain(page: Page) {
  await again(page).locator('[name="password"]').fill(password);
  await again(page).locator('button[type="submit"]').click();
}

/** The recovery codes of a new second factor. */
async function withSecondFactor(page: Page): Promise<string[]> {
  const begun = await page.request.post(beginSecondFactor.path, { data: { password } });
  const { secret } = await begun.json();
  const confirmed = await page.request.post(confirmSecondFactor.path, {
    data: { code: shownCode(secret) },
  });
  return (await confirmed.json()).recoveryCodes;
}

describe('a sign-in that ends in the middle of work', () => {
  it('comes back in place with typed text, also by the second factor, or is postponed', async () => {
    const { page, email } = await member();
    await page.goto('/knowledge');
    await typedArticle(page);
    await endElsewhere(email, page);
    await again(page).waitFor();
    await expect.poll(() => again(page).getByLabel('Email').inputValue()).toBe(email);
    await signInAgain(page);
    await again(page).waitFor({ state: 'detached' });
    await dialog(page).locator('button[type="submit"]').click();
    await page.getByText('Article created').first().waitFor();
    const saved = await (await page.request.get('/api/knowledge')).json();
    expect(saved.map(({ title }: { title: string }) => title)).toContain('Opening hours');
    await dialogIsGone(page);

    const [code = '', next = '', last = ''] = await withSecondFactor(page);
    await typedArticle(page);
    await endElsewhere(email, page, code);
    await signInAgain(page);
    const asked = again(page).locator('[name="code"]');
    await asked.waitFor();
    await expect.poll(() => page.locator(':focus').getAttribute('name')).toBe('code');
    await expectAccessible(page);
    await asked.fill(next);
    await asked.press('Enter');
    await again(page).waitFor({ state: 'detached' });
    await expect.poll(() => field(page, 'title').inputValue()).toBe('Opening hours');

    // A call that is refused waits for a new sign-in.
    await page.route('**/api/knowledge', async (route) => {
      if (route.request().method() === 'POST') await endElsewhere(email, page, last);
      await route.continue();
    });
    await dialog(page).locator('button[type="submit"]').click();
    await again(page).getByRole('button', { name: 'Close' }).click();
    await page.getByText('Failed to create article').first().waitFor();
    await expect.poll(() => field(page, 'title').inputValue()).toBe('Opening hours');
  });

  it('does not continue as another member', async () => {
    const { page, email } = await member();
    await page.goto('/knowledge');
    await page.getByRole('button', { name: 'Search' }).waitFor();
    await endElsewhere(email, page);
    const person = { email: someone(), username: 'Other', password, organizationName: 'Other' };
    await again(page).waitFor();
    // As in another tab of the same browser.
    expect((await page.request.post('/api/register', { data: person })).status()).toBe(201);
    const reloaded = page.waitForEvent('load');
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await reloaded;
    await page.getByText('Other', { exact: true }).first().waitFor();
    await expect.poll(() => page.getByText('Harbour Books').count()).toBe(0);
  });
});

/** Nothing can be saved meanwhile, and nothing typed is lost. */
async function loseNetwork(page: Page) {
  browser.mayComplain(/ERR_INTERNET_DISCONNECTED/);
  await page.context().setOffline(true);
  await page.getByText("You're offline", { exact: true }).waitFor();
  await page.locator('form:visible button[type="submit"]').click();
  await page.getByText("You're offline. Try again when you're connected.").first().waitFor();
  await expect.poll(() => dialog(page).getByLabel('Title').inputValue()).toBe('Opening hours');
  await page.context().setOffline(false);
  await page.getByText("You're offline", { exact: true }).waitFor({ state: 'detached' });
  const answered = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().endsWith('/knowledge'),
  );
  await page.locator('form:visible button[type="submit"]').click();
  expect((await answered).status()).toBe(201);
  await page.getByText('Article created').first().waitFor();
}

describe('on a phone', () => {
  it('the search fills the screen, and text that is typed without a network is kept and saved', async () => {
    const { page } = await member(PHONE);
    await page.goto('/knowledge');
    await typedArticle(page);
    await loseNetwork(page);
    await dialogIsGone(page);

    await page.getByRole('button', { name: 'Search' }).tap();
    await box(page).fill('orders');
    await option(page, /^Orders/).waitFor();
    await expect
      .poll(() => dialog(page).boundingBox())
      .toMatchObject({ x: 0, y: 0, width: 375, height: 720 });
    await option(page, /^Orders/).tap();
    await page.waitForURL('**/tools?history=*');
    await dialog(page).waitFor();
    // The palette does not open while text is typed elsewhere.
    await page.keyboard.press('Control+k');
    await expect.poll(() => page.getByRole('combobox', { name: 'Search' }).count()).toBe(0);
  });
});

describe('printed', () => {
  it('is the page without the shell, black on white also in the dark theme, with times and tables that fit the paper', async () => {
    const { page } = await member();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto('/billing');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await expect.poll(() => page.getByRole('complementary').isVisible()).toBe(false);
    await expect.poll(() => page.getByRole('banner').isVisible()).toBe(false);
    await expect.poll(() => page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    const style = 'getComputedStyle(document.documentElement)';
    const colours = await page.evaluate(`[${style}.color, ${style}.backgroundColor]`);
    expect(colours).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);

    // The time, instead of how long ago it was.
    await page.emulateMedia({ media: 'screen' });
    await goInside(page, '/audit');
    await page.getByRole('main').locator('time').first().waitFor();
    const content = `getComputedStyle(document.querySelector('main time'), '::after').content`;
    const said = () => page.evaluate<string>(content);
    await expect.poll(() => said()).toBe('none');
    await page.emulateMedia({ media: 'print' });
    await expect.poll(said).toContain(String(new Date().getFullYear()));

    // A table is as wide as the paper, with each figure in one line.
    const data = { credits: 1_000, amount: 349 };
    expect((await page.request.post('/api/billing/purchase-credits', { data })).ok()).toBe(true);
    await goInside(page, '/billing');
    const amount = page.getByRole('cell', { name: '$349.00' });
    await amount.waitFor();
    await page.setViewportSize({ width: 794, height: 1_123 });
    await page.getByRole('banner').waitFor({ state: 'hidden' });
    const line = await amount.boundingBox();
    expect(line?.height).toBeLessThan(60);
    const actions = page.getByRole('columnheader', { name: 'Actions' });
    await expect.poll(() => actions.isVisible()).toBe(false);
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(794);
  });
});
