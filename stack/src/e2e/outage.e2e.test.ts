import { beforeEach, expect, it } from 'vitest';
import { openSuite } from './browser.ts';
import { press, registered } from './steps.ts';

const { product, browser } = await openSuite();
beforeEach(() => browser.mayComplain(/net::ERR_|status of 50[03]|imported module/));

it('loads a missing part of a page automatically, once the server is back', async () => {
  // A page of its own: another test may have left the part in the cache.
  const page = await browser.newPage(product.url, { locale: 'en-US' });
  await registered(page, 'Harbour Books');
  await page.goto('/dashboard');
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await product.restart(async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Tools' }).click();
    await page.getByRole('alert').filter({ hasText: "This page couldn't be shown" }).waitFor();
  });
  await page.getByRole('heading', { name: 'Tools', level: 1 }).waitFor();
});

it('loads failed reads automatically once the database is back, and leaves the retry to the reader when the server answers', async () => {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const problem = { status: 503, contentType: 'application/problem+json', body: '{}' };
  await page.route('**/api/user', (route) => route.fulfill(problem));
  const checks = [{ name: 'database', status: 'failing' }];
  await page.route('**/api/status', (route) =>
    route.fulfill({ json: { status: 'failing', checks } }),
  );
  await page.goto('/dashboard');
  const alert = page.getByRole('alert').filter({ hasText: "Couldn't load this content" });
  await alert.waitFor();
  await page.unroute('**/api/user');
  await page.unroute('**/api/status');
  await page.getByRole('heading', { level: 1 }).first().waitFor();

  await page.route('**/api/user', (route) => route.fulfill({ status: 500, body: 'no problem' }));
  const asked = page.waitForResponse('**/api/status');
  await page.goto('/dashboard');
  await alert.waitFor();
  await asked;
  await page.unroute('**/api/user');
  await expect.poll(() => alert.count()).toBe(1);
  await press(alert, 'Try again');
  await page.getByRole('heading', { level: 1 }).first().waitFor();
});

it('loads a page automatically whose first script failed', async () => {
  const page = await browser.newPage(product.url);
  const missing = ['**/assets/react-*.js', '**/api/status'];
  for (const file of missing) await page.route(file, (route) => route.abort());
  await page.goto('/');
  await page.getByRole('alert').getByText('The page could not be loaded.').waitFor();
  for (const file of missing) await page.unroute(file);
  await page.getByRole('navigation').first().waitFor();
});
