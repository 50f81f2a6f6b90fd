import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { firstScripts, kilobytesOf } from '../testing/long-lists.ts';
import { openSuite } from './browser.ts';
import { chooseFromMenu, dialog, press, registered, toast } from './steps.ts';

const { product, browser } = await openSuite();

const toasts = (page: Page) => page.locator('ol > li');

/** Signed in to an organization with an agent. */
async function member() {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const { id } = await (await page.request.post('/api/agents', { data: agentInput })).json();
  return { page, agentId: id as string };
}

type Later = { readonly come: () => void; readonly asked: Promise<void> };

/** From now on the file of the product stays away until `come` is called. */
async function without(page: Page, file: string): Promise<Later> {
  const { promise: here, resolve: come } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await page.route(`**/assets/${file}-*.js`, async (route) => {
    asked.resolve();
    await here;
    await route.continue();
  });
  return { come, asked: asked.promise };
}

describe('code needed before the page can be used', () => {
  it('is little JavaScript in few files; the rest is not requested before the reader moves', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    for (const [path, kilobytesMax, filesMax] of [
      ['/', 110, 16],
      ['/dashboard', 175, 20],
    ] as const) {
      const scripts = await firstScripts(page, new URL(path, product.url).href);
      expect(scripts.length, path).toBeGreaterThan(3);
      expect(scripts.length, path).toBeLessThan(filesMax);
      expect(kilobytesOf(scripts), path).toBeLessThan(kilobytesMax);
    }
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const overlays = () => asked.filter((url) => url.includes('/assets/overlays-'));
    await page.goto('/dashboard', { waitUntil: 'networkidle' });
    await page.evaluate('new Promise((idle) => requestIdleCallback(idle))');
    expect(overlays()).toEqual([]);
    await page.mouse.move(200, 200);
    await expect.poll(overlays).toHaveLength(1);
    await expectRequestedFirst(page);
  });
});

/** What each page with the sidebar needs is requested before a script has run. */
async function expectRequestedFirst(page: Page) {
  const links = page.getByRole('navigation').getByRole('link');
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
}

describe('the first page', () => {
  it('reads without waiting for its words, and comes as a whole, without a spinner that React would hold', async () => {
    const { page, agentId } = await member();
    const words = await without(page, 'words');
    const reads = ['organization', 'organization/stats', 'tasks/stats', 'agents'].map((read) =>
      page.waitForRequest((request) => new URL(request.url()).pathname === `/api/${read}`),
    );
    await page.goto('/dashboard', { waitUntil: 'commit' });
    await words.asked;
    await Promise.all(reads);
    await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(0);
    words.come();
    await page.getByRole('heading', { level: 1 }).waitFor();

    for (const [file, path] of [
      ['agent.page', '/agents'],
      ['agent-chat.page', '/agent'],
    ] as const) {
      const { come, asked } = await without(page, file);
      const user = page.waitForResponse('**/api/user');
      await page.goto(`${path}/${agentId}`, { waitUntil: 'commit' });
      await asked;
      await (await user).finished();
      await page.evaluate(
        'new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))',
      );
      await page.locator('#root > .arriving').waitFor();
      come();
      await page.getByRole('heading', { level: 1, name: agentInput.name }).waitFor();
    }
  });
});

/** The tooltip of an icon that is pointed at. */
async function laterTooltip(page: Page, { come, asked }: Later) {
  const button = page.getByRole('button', { name: 'Sign out' });
  await button.hover();
  await asked;
  await expect.poll(() => button.getAttribute('aria-describedby')).toBeNull();
  come();
  await page.getByRole('tooltip', { name: 'Sign out' }).waitFor();
  await expect.poll(() => button.getAttribute('aria-describedby')).not.toBeNull();
  await page.keyboard.press('Escape');
  await page.getByRole('tooltip').waitFor({ state: 'detached' });
}

/** The notifications, once their bell was pressed. */
async function laterNotifications(page: Page, { come, asked }: Later) {
  await press(page, 'Notifications');
  await asked;
  await expect.poll(() => dialog(page).count()).toBe(0);
  come();
  await dialog(page).getByText("You're all caught up").waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Notifications');
}

/** The sidebar of a phone, once its button was pressed; it leads to the agents. */
async function laterSidebar(page: Page, { come, asked }: Later) {
  await press(page, 'Open menu');
  await asked;
  await expect.poll(() => dialog(page).count()).toBe(0);
  come();
  await dialog(page).getByRole('link', { name: 'Agents' }).click();
  await page.waitForURL('**/agents');
  await dialog(page).waitFor({ state: 'detached' });
}

/** A toast, which is plainer while the better one is on its way. */
async function laterToast(page: Page, { come, asked }: Later) {
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
}

/** A menu that arrives while its button is held down. */
async function laterMenu(page: Page, { come, asked }: Later) {
  const button = page.getByRole('button', { name: /^Language:/ });
  await button.hover();
  await page.mouse.down();
  await asked;
  come();
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).waitFor();
  await page.mouse.up();
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
  await page.getByRole('button', { name: /^Sprache:/ }).waitFor();
}

describe('code needed after the page can be used', () => {
  it('is that of tooltips, notifications, toasts, menus, and of the sidebar of a phone', async () => {
    const { page } = await member();
    const tooltip = await without(page, 'tooltip-bubble');
    const notifications = await without(page, 'notifications-overlay');
    const sidebar = await without(page, 'sidebar-drawer');
    const betterToasts = await without(page, 'toasts');
    const menu = await without(page, 'language-menu');
    await page.goto('/dashboard');
    await laterTooltip(page, tooltip);
    await laterNotifications(page, notifications);
    await page.setViewportSize({ width: 375, height: 740 });
    await laterSidebar(page, sidebar);
    await page.setViewportSize({ width: 1440, height: 900 });
    await laterToast(page, betterToasts);
    await laterMenu(page, menu);
  });

  it('is a plainer toast where the network kept the other one away', async () => {
    const { page } = await member();
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
});
