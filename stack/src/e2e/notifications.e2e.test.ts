import {
  type Agent,
  changeAgent,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { signIn } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { getNotificationPreferences } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { type ApiClient, agentInput, apiClient } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { purchasesOf } from '../testing/one-of-each.ts';
import { openSuite } from './browser.ts';
import { DEFAULTS } from './kept-pages.ts';
import { dialog, dialogIsGone, press, registered, toast } from './steps.ts';

const { product, browser } = await openSuite();

const PHONE = { width: 375, height: 740 };

/** An Admin at the dashboard, and a script with the Admin's rights. */
async function atDashboard() {
  const page = await browser.newPage(product.url);
  const { email, password } = await registered(page, 'Harbour Books');
  const admin = apiClient(product.url);
  await admin.call(signIn, { body: { email, password } });
  const { body: agent } = await admin.call<Agent>(createAgent, { body: agentInput });
  // From then on the page receives new notifications.
  const listening = page.waitForResponse(/\/api\/events/);
  await page.goto('/dashboard');
  await Promise.all([listening, bell(page, 0).waitFor()]);
  return { page, admin, agent };
}
/** A colleague who works elsewhere. */
const editorOf = async (admin: ApiClient) => (await joinAs(admin, product.url, 'Editor')).client;
const bell = (page: Page, unread: number) =>
  page.getByRole('button', {
    name: unread > 0 ? `Notifications, ${unread} unread` : /^Notifications$/,
  });
const setActive = (by: ApiClient, { id }: Agent, isActive: boolean) =>
  by.call(changeAgent, { params: { id }, body: { isActive } });
const item = (page: Page, text: string) => dialog(page).getByRole('link', { name: text });
const focused = (page: Page) => page.locator(':focus');

/** The bell, by keyboard: its list, an object, and the mark of what was read. */
async function goThroughList(page: Page, agentId: string) {
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => focused(page).textContent()).toContain('activated Support');
  await page.keyboard.press('End');
  await expect.poll(() => focused(page).textContent()).toContain('accepted an invitation');
  await page.keyboard.press('Escape');
  await dialogIsGone(page);
  await expect.poll(() => focused(page).getAttribute('aria-label')).toBe('Notifications, 3 unread');

  await page.keyboard.press('Enter');
  await item(page, 'activated Support').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/agents/${agentId}/execute`);
  await dialogIsGone(page);
  await bell(page, 2).click();
  await expect.poll(() => item(page, 'paused Support').getByText('Unread').count()).toBe(0);
  await press(dialog(page), 'Mark all as read');
  await bell(page, 0).waitFor();
  await expect.poll(() => dialog(page).getByText('Unread').count()).toBe(0);
}

/** The switches are saved at once and obeyed, and go back where they were not saved. */
async function useSwitches(page: Page, unread: number) {
  const named = (name: string) => page.getByRole('switch', { name });
  for (const name of ['Email notifications', 'Agent status updates', 'Credit balance alerts']) {
    await expect.poll(() => named(name).isChecked()).toBe(true);
  }
  await named('Agent status updates').click();
  await toast(page, 'Notification preferences saved');
  await bell(page, unread).waitFor();
  await expect.poll(() => named('Agent status updates').isChecked()).toBe(false);
  const saved = await page.request.get(getNotificationPreferences.path);
  expect(await saved.json()).toMatchObject({ agentStatusUpdates: false });

  browser.mayComplain(/ERR_FAILED/);
  await page.route('**/api/user/notification-preferences', (route) =>
    route.request().method() === 'PUT' ? route.abort() : route.continue(),
  );
  await named('Email notifications').click();
  await toast(page, 'Update failed');
  await expect.poll(() => named('Email notifications').isChecked()).toBe(true);
}

describe('the bell', () => {
  it('opens a sheet on a phone, counts what is new, and lists it live, also by keyboard', async () => {
    const { page, admin, agent } = await atDashboard();
    await page.setViewportSize(PHONE);
    await bell(page, 0).click();
    await dialog(page).getByText("You're all caught up").waitFor();
    const { x, y, height } = (await dialog(page).boundingBox()) ?? { x: 1, y: 0, height: 0 };
    expect([x, Math.round(y + height)]).toEqual([0, PHONE.height]);
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await page.setViewportSize(DEFAULTS.viewport);

    const editor = await editorOf(admin);
    await bell(page, 1).waitFor();
    await setActive(editor, agent, false);
    await bell(page, 2).click();
    await item(page, 'The Editor paused Support').waitFor();
    await item(page, 'The Editor accepted an invitation').waitFor();
    await setActive(editor, agent, true);
    await item(page, 'The Editor activated Support').waitFor();
    await goThroughList(page, agent.id);
  });

  it('obeys the switches in the settings, and shows what is critical immediately with a link', async () => {
    const { page, admin, agent } = await atDashboard();
    await setActive(await editorOf(admin), agent, false);
    await bell(page, 2).click();
    await dialog(page).getByRole('link', { name: 'Settings' }).click();
    await dialogIsGone(page);
    await useSwitches(page, 1);

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
