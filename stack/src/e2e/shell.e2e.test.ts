import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { setUpSecondFactor } from './account-acts.ts';
import { expectAccessible, openSuite } from './browser.ts';
import {
  anArticle,
  aTool,
  dialog,
  dialogIsGone,
  field,
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
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Search' }).waitFor();
  return { page, email };
}

const box = (page: Page) => page.getByRole('combobox', { name: 'Search' });
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });
const chosen = (page: Page) => page.getByRole('option', { selected: true }).innerText();

describe('the search palette', () => {
  it('opens results by keyboard alone, and remembers them', async () => {
    const { page } = await member();
    await page.keyboard.press('Control+k');
    await box(page).waitFor();
    await expectAccessible(page);
    await page.keyboard.type('supp');
    await option(page, /^Support/).waitFor();
    await expect.poll(() => page.locator('mark').first().innerText()).toBe('Supp');
    await expectAccessible(page);
    await expect.poll(() => chosen(page)).toContain('Support');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/agents\/[^/]+\/execute$/);
    await page.keyboard.press('Control+k');
    await page.getByRole('group', { name: 'Recently opened' }).getByText('Support').waitFor();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => chosen(page)).toContain('Settings');
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
  });

  it('leaves Enter to input methods, and reports that nothing was found', async () => {
    const { page } = await member();
    await press(page, 'Search');
    await box(page).fill('zzz');
    await page.getByText('No results for “zzz”').waitFor();
    await box(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    await expect.poll(() => box(page).isVisible()).toBe(true);
    expect(new URL(page.url()).pathname).toBe('/dashboard');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/tasks?q=zzz');
  });

  it('reports that the search failed, and retries', async () => {
    const { page } = await member();
    await page.route('**/api/search?*', (route) => route.fulfill({ status: 429, json: {} }));
    await press(page, 'Search');
    await box(page).fill('returns');
    await page.getByText('Search failed').waitFor();
    await page.unroute('**/api/search?*');
    await press(dialog(page), 'Try again');
    await option(page, /^Returns/).click();
    await page.waitForURL('**/knowledge?article=*');
  });

  it('fills a phone, and does not open while text is typed elsewhere', async () => {
    const { page } = await member(PHONE);
    await page.getByRole('button', { name: 'Search' }).tap();
    await box(page).fill('orders');
    await option(page, /^Orders/).waitFor();
    await expect
      .poll(() => dialog(page).boundingBox())
      .toMatchObject({ x: 0, y: 0, width: 375, height: 720 });
    await option(page, /^Orders/).tap();
    await page.waitForURL('**/tools?history=*');
    await dialog(page).waitFor();
    await page.keyboard.press('Control+k');
    await expect.poll(() => page.getByRole('combobox', { name: 'Search' }).count()).toBe(0);
  });
});

/** Ends a member's sign-ins from another device. */
async function endElsewhere(email: string, page: Page, second: { code?: string } = {}) {
  const other = await browser.newPage(product.url);
  await other.request.post('/api/login', { data: { email, password, ...second } });
  const ended = await other.request.delete('/api/user/sign-ins');
  expect(ended.status()).toBe(204);
  await other.context().close();
  expect((await page.request.get('/api/user')).status()).toBe(401);
}

async function typedArticle(page: Page) {
  await page.goto('/knowledge');
  await press(page, 'Add Article');
  await dialog(page).getByLabel('Title').fill('Opening hours');
  await dialog(page).getByLabel('Content').fill('We open at nine. '.repeat(200));
  await dialog(page).getByLabel('Category').fill('General');
}

const again = (page: Page) => page.getByRole('dialog', { name: 'Sign in again' });

describe('a sign-in that ends in the middle of work', () => {
  it('happens without leaving the page, and typed text is saved', async () => {
    const { page, email } = await member();
    await typedArticle(page);
    await endElsewhere(email, page);
    await again(page).waitFor();
    await expectAccessible(page);
    await expect.poll(() => again(page).getByLabel('Email').inputValue()).toBe(email);
    await again(page).locator('[name="password"]').fill(password);
    await again(page).locator('button[type="submit"]').click();
    await again(page).waitFor({ state: 'detached' });
    await dialog(page).locator('button[type="submit"]').click();
    await page.getByText('Article created').first().waitFor();
    const saved = await (await page.request.get('/api/knowledge')).json();
    expect(saved.map(({ title }: { title: string }) => title)).toContain('Opening hours');
  });

  it('can be postponed without losing typed text', async () => {
    const { page, email } = await member();
    await typedArticle(page);
    await endElsewhere(email, page);
    await again(page).getByRole('button', { name: 'Close' }).click();
    await again(page).waitFor({ state: 'detached' });
    // A call triggers the sign-in again, and waits for it.
    await dialog(page).locator('button[type="submit"]').click();
    await again(page).getByRole('button', { name: 'Close' }).click();
    await page.getByText('Failed to create article').first().waitFor();
    await expect.poll(() => field(page, 'title').inputValue()).toBe('Opening hours');
  });

  it('requires the second factor, too', async () => {
    const { page, email } = await member();
    const [code = '', next = ''] = await setUpSecondFactor(page);
    await typedArticle(page);
    await endElsewhere(email, page, { code });
    await again(page).locator('[name="password"]').fill(password);
    await again(page).locator('button[type="submit"]').click();
    const asked = again(page).locator('[name="code"]');
    await asked.waitFor();
    await expect.poll(() => page.locator(':focus').getAttribute('name')).toBe('code');
    await expectAccessible(page);
    await asked.fill(next);
    await asked.press('Enter');
    await again(page).waitFor({ state: 'detached' });
    await expect.poll(() => field(page, 'title').inputValue()).toBe('Opening hours');
  });

  it('does not continue as another member', async () => {
    const { page, email } = await member();
    await endElsewhere(email, page);
    const person = { email: someone(), username: 'Other', password, organizationName: 'Other' };
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
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

describe('without a network', () => {
  it('reports it, keeps content and input, and explains why nothing can be saved', async () => {
    const { page } = await member();
    await typedArticle(page);
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
  });
});

describe('printed', () => {
  it('is the page without the shell, black on white in the dark theme too', async () => {
    const { page } = await member({ colorScheme: 'dark' });
    await page.goto('/billing');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await expect.poll(() => page.getByRole('complementary').isVisible()).toBe(false);
    await expect.poll(() => page.getByRole('banner').isVisible()).toBe(false);
    await expect.poll(() => page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    const style = 'getComputedStyle(document.documentElement)';
    const colours = await page.evaluate(`[${style}.color, ${style}.backgroundColor]`);
    expect(colours).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
  });

  it('has tables as wide as the paper, with each figure in one line', async () => {
    const { page } = await member();
    const data = { credits: 1_000, amount: 349 };
    expect((await page.request.post('/api/billing/purchase-credits', { data })).ok()).toBe(true);
    await page.goto('/billing');
    await page.getByRole('cell', { name: '$349.00' }).waitFor();
    await page.setViewportSize({ width: 794, height: 1_123 });
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('banner').waitFor({ state: 'hidden' });
    const line = await page.getByRole('cell', { name: '$349.00' }).boundingBox();
    expect(line?.height).toBeLessThan(60);
    await expect
      .poll(() => page.getByRole('columnheader', { name: 'Actions' }).isVisible())
      .toBe(false);
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(794);
  });

  it('shows the time, instead of how long ago it was', async () => {
    const { page } = await member();
    await page.goto('/audit');
    await page.getByRole('main').locator('time').first().waitFor();
    const content = `getComputedStyle(document.querySelector('main time'), '::after').content`;
    const said = () => page.evaluate<string>(content);
    await expect.poll(() => said()).toBe('none');
    await page.emulateMedia({ media: 'print' });
    await expect.poll(said).toContain(String(new Date().getFullYear()));
  });
});
