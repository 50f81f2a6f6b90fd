import { agentInput } from '@tallyhand/test-kit/api-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import { press, registered } from './steps.ts';

const { product, browser } = await openSuite();
beforeEach(() => browser.mayComplain(/ERR_FAILED|imported module|Words are missing|Array/));

describe('a part of the application that cannot be loaded', () => {
  it('is reported by the page itself, with a retry, in the language of the reader', async () => {
    const page = await browser.newPage(product.url, { locale: 'de-AT' });
    // The first script, and the words that every page needs.
    for (const file of ['**/assets/react-*.js', '**/assets/common-*.js']) {
      await page.route(file, (route) => route.abort());
      await page.goto('/');
      await page.getByRole('alert').getByText('Die Seite konnte nicht geladen werden.').waitFor();
      await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de');
      await page.unroute(file);
      await press(page, 'Erneut versuchen');
      await page.getByRole('navigation').first().waitFor();
    }
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

  it('removes one page, and not what is around it; it is never shown without its words', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    await page.request.post('/api/agents', { data: agentInput });
    const file = '**/assets/tools.page-*.js';
    for (const missing of [file, '**/assets/bulk-*.js']) {
      await page.route(missing, (route) => route.fulfill({ status: 404 }));
    }
    await page.goto('/dashboard');
    const sidebar = page.getByRole('navigation');
    await sidebar.getByRole('link', { name: 'Tools' }).click();
    const alert = page.getByRole('alert').filter({ hasText: "This page couldn't be shown" });
    await alert.waitFor();
    await expectAccessible(page);

    await sidebar.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await alert.waitFor({ state: 'detached' });
    // A bar whose words are missing, also when it is wanted again.
    const box = page.getByRole('checkbox', { name: `Select ${agentInput.name}`, exact: true });
    const bar = page.getByRole('alert').filter({ hasText: "Couldn't load this content" });
    for (const _time of ['first', 'second']) {
      await box.press('Space');
      await bar.waitFor();
      await box.press('Space');
      await bar.waitFor({ state: 'detached' });
    }

    await sidebar.getByRole('link', { name: 'Tools' }).click();
    await alert.waitFor();
    await page.unroute(file);
    await press(alert, 'Try again');
    await page.getByRole('heading', { name: 'Tools', level: 1 }).waitFor();
  });
});
