import {
  type Agent,
  changeAgent,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { signIn } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { countUnreadNotifications as countUnread } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { type ApiClient, agentInput, apiClient } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { purchasesOf } from '../testing/one-of-each.ts';
import { expectAccessible, openSuite, type TestBrowser } from './browser.ts';
import { dialog, dialogIsGone, press, registered, toast } from './steps.ts';

const { product, browser } = await openSuite();

const PHONE = { viewport: { width: 375, height: 740 } };

/**
 * An Admin at the dashboard, a script with the Admin's rights, and an Editor who works elsewhere.
 */
async function atDashboard(options: Parameters<TestBrowser['newPage']>[1] = {}) {
  const page = await browser.newPage(product.url, options);
  const { email, password } = await registered(page, 'Harbour Books');
  const admin = apiClient(product.url);
  await admin.call(signIn, { body: { email, password } });
  const { client: editor } = await joinAs(admin, product.url, 'Editor');
  const { body: agent } = await admin.call<Agent>(createAgent, { body: agentInput });
  const unread = async () => (await admin.call<{ count: number }>(countUnread)).body.count;
  await expect.poll(unread).toBe(1);
  // From then on the page receives new notifications.
  const listening = page.waitForResponse(/\/api\/events/);
  await page.goto('/dashboard');
  await Promise.all([listening, bell(page, 1).waitFor()]);
  return { page, admin, editor, agent };
}
const bell = (page: Page, unread: number) =>
  page.getByRole('button', {
    name: unread > 0 ? `Notifications, ${unread} unread` : /^Notifications$/,
  });
const setActive = (by: ApiClient, { id }: Agent, isActive: boolean) =>
  by.call(changeAgent, { params: { id }, body: { isActive } });
const item = (page: Page, text: string) => dialog(page).getByRole('link', { name: text });
const focused = (page: Page) => page.locator(':focus');

describe('the bell', () => {
  it('counts new notifications, lists them live, and leads by keyboard to their objects', async () => {
    const { page, editor, agent } = await atDashboard();
    await setActive(editor, agent, false);
    await bell(page, 2).click();
    await item(page, 'The Editor paused Support').waitFor();
    await item(page, 'The Editor accepted an invitation').waitFor();
    await expectAccessible(page);
    await setActive(editor, agent, true);
    await item(page, 'The Editor activated Support').waitFor();

    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page).textContent()).toContain('activated Support');
    await page.keyboard.press('End');
    await expect.poll(() => focused(page).textContent()).toContain('accepted an invitation');
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    await expect
      .poll(() => focused(page).getAttribute('aria-label'))
      .toBe('Notifications, 3 unread');

    await page.keyboard.press('Enter');
    await item(page, 'activated Support').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/agents/${agent.id}/execute`);
    await dialogIsGone(page);
    await bell(page, 2).click();
    await expect.poll(() => item(page, 'paused Support').getByText('Unread').count()).toBe(0);
    await press(dialog(page), 'Mark all as read');
    await bell(page, 0).waitFor();
    await expect.poll(() => dialog(page).getByText('Unread').count()).toBe(0);
  });

  it('opens a sheet on a phone, and reports an empty list', async () => {
    const page = await browser.newPage(product.url, PHONE);
    await registered(page, 'Harbour Books');
    await page.goto('/dashboard');
    await bell(page, 0).click();
    await dialog(page).getByText("You're all caught up").waitFor();
    await expectAccessible(page);
    const box = await dialog(page).boundingBox();
    expect([box?.x, box && Math.round(box.y + box.height)]).toEqual([0, 740]);
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
  });

  it('shows critical ones immediately, with a link', async () => {
    const { page, admin } = await atDashboard();
    const purchases = purchasesOf(admin);
    const { paymentIntentId: id } = await purchases.buy('success');
    await purchases.expectStatus(id, 'succeeded');
    await bell(page, 2).waitFor();
    await purchases.act(id, 'dispute');
    await toast(page, 'Payment of $49.00 is disputed');
    await press(page, 'View');
    await page.waitForURL('**/billing');
  });
});

describe('the switches in the settings', () => {
  const byName = (page: Page, name: string) => page.getByRole('switch', { name });

  it('are saved at once and obeyed, and go back where they were not saved', async () => {
    const { page, editor, agent } = await atDashboard();
    await setActive(editor, agent, false);
    await bell(page, 2).click();
    await dialog(page).getByRole('link', { name: 'Settings' }).click();
    await dialogIsGone(page);
    for (const name of ['Email notifications', 'Agent status updates', 'Credit balance alerts']) {
      await expect.poll(() => byName(page, name).isChecked()).toBe(true);
    }
    await expectAccessible(page);
    await byName(page, 'Agent status updates').click();
    await toast(page, 'Notification preferences saved');
    await bell(page, 1).waitFor();
    await page.reload();
    await bell(page, 1).waitFor();
    await expect.poll(() => byName(page, 'Agent status updates').isChecked()).toBe(false);

    browser.mayComplain(/ERR_FAILED/);
    await page.route('**/api/user/notification-preferences', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await byName(page, 'Email notifications').click();
    await toast(page, 'Update failed');
    await expect.poll(() => byName(page, 'Email notifications').isChecked()).toBe(true);
  });
});
