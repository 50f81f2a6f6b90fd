import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { answering, isSignedBy, startReceiver } from '../testing/receiver.ts';
import { expectAccessible, openSuite } from './browser.ts';
import { dialog, dialogIsGone, field, press, registered, toast } from './steps.ts';

const { product, browser } = await openSuite();

async function developersPage(): Promise<Page> {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  await page.goto('/developers');
  await page.getByText('No API keys yet.').waitFor();
  return page;
}
const secretShown = (page: Page) => dialog(page).getByRole('textbox').inputValue();
const agentsBy = async (key: string) =>
  (await fetch(`${product.url}/api/agents`, { headers: { authorization: `Bearer ${key}` } }))
    .status;

describe('an API key', () => {
  it('is shown once, works, and stops with its revocation', async () => {
    const page = await developersPage();
    await page.getByText(`${product.url}/v1`, { exact: true }).waitFor();
    await expectAccessible(page);
    await press(page, 'Create API key');
    await field(page, 'name').fill('Nightly import');
    await expectAccessible(page);
    await press(dialog(page), 'Create key');
    await dialog(page).getByText('Your new API key').waitFor();
    const key = await secretShown(page);
    expect(key).toMatch(/^th_/);
    expect(await agentsBy(key)).toBe(200);
    await press(dialog(page), "I've copied it");
    await dialogIsGone(page);
    await page.getByRole('cell', { name: 'Nightly import', exact: true }).waitFor();
    expect(await page.content()).not.toContain(key);
    await press(page, 'Revoke Nightly import');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
    await toast(page, 'API key revoked');
    await page.getByText('Revoked', { exact: true }).waitFor();
    expect(await agentsBy(key)).toBe(401);
  });
});

describe('a webhook', () => {
  it('is added, tested, reported when it was disabled, enabled, and its deliveries are sent again', async () => {
    await using receiver = await startReceiver(answering(410, 'Not today'));
    const page = await developersPage();
    await press(page, 'Add webhook');
    await field(page, 'url').fill(receiver.url);
    await dialog(page).getByLabel('All events').click();
    await dialog(page).getByLabel('Search events').fill('AgentCreated');
    await dialog(page).getByLabel('Agent created').click();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Add webhook' }).click();
    await dialog(page).getByText('Webhook secret').waitFor();
    const secret = await secretShown(page);
    await press(dialog(page), "I've copied it");
    await dialogIsGone(page);
    await press(page, `More about ${receiver.url}`);
    await page.getByRole('menuitem', { name: 'Send test event' }).click();
    await toast(page, 'Test event sent');
    await expect.poll(() => receiver.received.length).toBe(1);
    const [first] = receiver.received;
    expect(first && isSignedBy(secret, first)).toBe(true);
    const isDisabled = async () => {
      const answer = await page.request.get('/api/webhook-endpoints');
      return ((await answer.json()) as { isActive: boolean }[])[0]?.isActive === false;
    };
    await expect.poll(isDisabled).toBe(true);
    await press(page, `More about ${receiver.url}`);
    await page.getByRole('menuitem', { name: 'Deliveries' }).click();
    const deliveries = page.getByRole('table', { name: 'Deliveries' });
    await deliveries.getByText('It answered 410.').waitFor();
    await press(page, 'View delivery of ping');
    await dialog(page).getByText('Not today').waitFor();
    await expectAccessible(page);

    // The page reports an address that is gone until it is enabled.
    await page.reload();
    await dialog(page).getByText('Not today').waitFor();
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await page.getByText('It responded with 410 Gone.').waitFor();
    await expectAccessible(page);
    await press(page, 'Enable');
    await toast(page, 'Webhook enabled');
    await page.getByText('It responded with 410 Gone.').waitFor({ state: 'detached' });

    receiver.answerWith(answering(200));
    await press(page, 'View delivery of ping');
    await press(dialog(page), 'Resend');
    await dialog(page).getByText('Delivered').waitFor();
    await expect.poll(() => dialog(page).getByRole('listitem').count()).toBe(2);
    expect(receiver.received.map(({ id }) => id)).toEqual([first?.id, first?.id]);
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await deliveries.getByText('Delivered').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('failed');
    await page.getByText('No deliveries with this status.').waitFor();
    await press(page, 'Close deliveries');
    await page.getByText('No deliveries with this status.').waitFor({ state: 'detached' });
  });
});
