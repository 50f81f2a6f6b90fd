import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { firstScripts, kilobytesOf } from '../testing/long-lists.ts';
import { openSuite } from './browser.ts';
import { chooseFromMenu, dialog, press, registered, toast } from './steps.ts';

const { product, browser } = await openSuite();

const PHONE = { viewport: { width: 375, height: 740 } };
const toasts = (page: Page) => page.locator('ol > li');

/** Signed in, on a network where the file of the product stays away until `come` is called. */
async function without(file: string, { phone = false } = {}) {
  const page = await browser.newPage(product.url, phone ? PHONE : {});
  await registered(page, 'Harbour Books');
  await page.request.post('/api/agents', { data: agentInput });
  const { promise: here, resolve: come } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await page.route(`**/assets/${file}-*.js`, async (route) => {
    asked.resolve();
    await here;
    await route.continue();
  });
  return { page, come, asked: asked.promise };
}

describe('code needed before the page can be used', () => {
  it.each([
    ['the landing page', '/', 110, 16],
    ['the dashboard', '/dashboard', 175, 20],
  ])('is little JavaScript in few files: %s', async (_name, path, kilobytesMax, filesMax) => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    const scripts = await firstScripts(page, new URL(path, product.url).href);
    expect(scripts.length).toBeGreaterThan(3);
    expect(scripts.length).toBeLessThan(filesMax);
    expect(kilobytesOf(scripts)).toBeLessThan(kilobytesMax);
  });
});

describe('code needed by a page with the sidebar', () => {
  it('is requested before a script has run', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    await page.goto('/dashboard');
    const links = page.getByRole('navigation').getByRole('link');
    await links.first().waitFor();
    const paths = await Promise.all((await links.all()).map((link) => link.getAttribute('href')));
    expect(paths.length).toBeGreaterThan(8);
    for (const path of [...paths, '/settings']) {
      const html = await (await fetch(new URL(path ?? '', product.url))).text();
      // The dashboard is a part of the frame.
      const files = path === '/dashboard' ? ['frame'] : ['frame', `${path?.slice(1)}.page`];
      for (const file of ['routes', ...files]) {
        expect(html).toMatch(new RegExp(`<link rel="modulepreload"[^>]+/assets/${file}-`));
      }
      expect(html).toContain('<meta name="robots" content="noindex" />');
    }
  });
});

describe('the first reads of the dashboard', () => {
  it('do not wait for its words', async () => {
    const { page, come, asked } = await without('words');
    const reads = ['organization', 'organization/stats', 'tasks/stats', 'agents'].map((read) =>
      page.waitForRequest((request) => new URL(request.url()).pathname === `/api/${read}`),
    );
    await page.goto('/dashboard', { waitUntil: 'commit' });
    await asked;
    await Promise.all(reads);
    await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(0);
    come();
    await page.getByRole('heading', { level: 1 }).waitFor();
  });
});

describe('the first page', () => {
  it.each([
    ['agent.page', '/agents'],
    ['agent-chat.page', '/agent'],
  ])('comes as a whole, without a spinner that React would hold: %s', async (file, path) => {
    const { page, come, asked } = await without(file);
    const [{ id }] = await (await page.request.get('/api/agents')).json();
    const user = page.waitForResponse('**/api/user');
    await page.goto(`${path}/${id}`, { waitUntil: 'commit' });
    await asked;
    await (await user).finished();
    await page.evaluate(
      'new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))',
    );
    await page.locator('#root > .arriving').waitFor();
    come();
    await page.getByRole('heading', { level: 1, name: agentInput.name }).waitFor();
  });
});

describe('code needed after the page can be used', () => {
  it('is not requested before the reader moves', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto('/dashboard', { waitUntil: 'networkidle' });
    await page.evaluate('new Promise((idle) => requestIdleCallback(idle))');
    const overlays = () => asked.filter((url) => url.includes('/assets/overlays-'));
    expect(overlays()).toEqual([]);
    await page.mouse.move(200, 200);
    await expect.poll(overlays).toHaveLength(1);
  });

  it('is a toast, which is plainer while the better one is on its way', async () => {
    const { page, come, asked } = await without('toasts');
    await page.goto('/agents');
    await chooseFromMenu(page, agentInput.name, 'Pause Agent');
    await asked;
    await page.getByRole('article').getByText('Paused', { exact: true }).waitFor();
    const plain = page.getByRole('status').filter({ hasText: 'Agent paused' });
    await plain.waitFor();
    await expect.poll(() => toasts(page).count()).toBe(0);
    // It must not be shown, and announced, a second time.
    await page.evaluate(`new MutationObserver(() => {
      if (document.querySelector('ol > li')) globalThis.isRepeated = true;
    }).observe(document.body, { childList: true, subtree: true })`);
    come();
    await plain.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('globalThis.isRepeated')).toBeUndefined();
    await chooseFromMenu(page, agentInput.name, 'Activate Agent');
    await toast(page, 'Agent activated');
  });

  it('is a plainer toast where the network kept the other one away', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    await page.request.post('/api/agents', { data: agentInput });
    await page.route('**/assets/toasts-*.js', (route) => route.fulfill({ status: 404 }));
    await page.goto('/agents');
    await chooseFromMenu(page, agentInput.name, 'Delete Agent');
    await press(page.getByRole('alertdialog'), 'Delete Agent');
    const plain = page.getByRole('status').filter({ hasText: 'Agent deleted' });
    await plain.waitFor();
    await press(plain, 'Undo');
    await page.getByRole('heading', { name: agentInput.name, exact: true }).waitFor();
    await plain.waitFor({ state: 'detached' });
  });

  it('is the tooltip of an icon that is pointed at', async () => {
    const { page, come, asked } = await without('tooltip-bubble');
    await page.goto('/dashboard');
    const button = page.getByRole('button', { name: 'Sign out' });
    await button.hover();
    await asked;
    await expect.poll(() => button.getAttribute('aria-describedby')).toBeNull();
    come();
    await page.getByRole('tooltip', { name: 'Sign out' }).waitFor();
    await expect.poll(() => button.getAttribute('aria-describedby')).not.toBeNull();
    await page.keyboard.press('Escape');
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
  });

  it('is a menu that arrives while its button is held down', async () => {
    const { page, come, asked } = await without('language-menu');
    await page.goto('/dashboard');
    const button = page.getByRole('button', { name: /^Language:/ });
    await button.hover();
    await page.mouse.down();
    await asked;
    come();
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).waitFor();
    await page.mouse.up();
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
    await page.getByRole('button', { name: /^Sprache:/ }).waitFor();
  });

  it('is the notifications, once their bell was pressed', async () => {
    const { page, come, asked } = await without('notifications-overlay');
    await page.goto('/dashboard');
    await press(page, 'Notifications');
    await asked;
    await expect.poll(() => dialog(page).count()).toBe(0);
    come();
    await dialog(page).getByText("You're all caught up").waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await expect
      .poll(() => page.locator(':focus').getAttribute('aria-label'))
      .toBe('Notifications');
  });

  it('is the sidebar of a phone, once its button was pressed', async () => {
    const { page, come, asked } = await without('sidebar-drawer', { phone: true });
    await page.goto('/dashboard');
    await press(page, 'Open menu');
    await asked;
    await expect.poll(() => dialog(page).count()).toBe(0);
    come();
    await dialog(page).getByRole('link', { name: 'Agents' }).click();
    await page.waitForURL('**/agents');
    await dialog(page).waitFor({ state: 'detached' });
  });
});
