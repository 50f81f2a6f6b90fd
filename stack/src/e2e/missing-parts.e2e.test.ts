import { agentInput } from '@tallyhand/test-kit/api-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import { press, registered } from './steps.ts';

const { product, browser } = await openSuite();
beforeEach(() => browser.mayComplain(/ERR_FAILED|imported module|Words are missing|Array/));

describe('a part of the application that cannot be loaded', () => {
  it.each([
    ['the first script', '**/assets/react-*.js'],
    ['the words that every page needs', '**/assets/common-*.js'],
  ])('is reported by the page itself, with a retry: %s', async (_name, file) => {
    const page = await browser.newPage(product.url, { locale: 'de-AT' });
    await page.route(file, (route) => route.abort());
    await page.goto('/');
    await page.getByRole('alert').getByText('Die Seite konnte nicht geladen werden.').waitFor();
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de');
    await page.unroute(file);
    await press(page, 'Erneut versuchen');
    await page.getByRole('navigation').first().waitFor();
  });

  it('removes the form of the landing page, and nothing else', async () => {
    const page = await browser.newPage(product.url);
    const file = '**/assets/contact-form-*.js';
    await page.route(file, (route) => route.fulfill({ status: 404 }));
    await page.goto('/#contact');
    const alert = page.getByRole('alert').filter({ hasText: "Couldn't load this content" });
    await alert.waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.unroute(file);
    await press(alert, 'Try again');
    await page.getByRole('button', { name: 'Send Message' }).waitFor();
  });

  it('is never shown without its words, also when it is wanted again', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    await page.request.post('/api/agents', { data: agentInput });
    await page.route('**/assets/bulk-*.js', (route) => route.fulfill({ status: 404 }));
    await page.goto('/agents');
    const box = page.getByRole('checkbox', { name: `Select ${agentInput.name}`, exact: true });
    const alert = page.getByRole('alert').filter({ hasText: "Couldn't load this content" });
    for (const _time of ['first', 'second']) {
      await box.press('Space');
      await alert.waitFor();
      await box.press('Space');
      await alert.waitFor({ state: 'detached' });
    }
  });

  it('removes one page, and not what is around it', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    const file = '**/assets/tools.page-*.js';
    await page.route(file, (route) => route.fulfill({ status: 404 }));
    await page.goto('/dashboard');
    const sidebar = page.getByRole('navigation');
    await sidebar.getByRole('link', { name: 'Tools' }).click();
    const alert = page.getByRole('alert').filter({ hasText: "This page couldn't be shown" });
    await alert.waitFor();
    await expectAccessible(page);

    await sidebar.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await alert.waitFor({ state: 'detached' });

    await sidebar.getByRole('link', { name: 'Tools' }).click();
    await alert.waitFor();
    await page.unroute(file);
    await press(alert, 'Try again');
    await page.getByRole('heading', { name: 'Tools', level: 1 }).waitFor();
  });
});
