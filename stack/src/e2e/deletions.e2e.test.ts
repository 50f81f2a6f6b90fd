import { agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { expectAccessible, openSuite, pageOf } from './browser.ts';
import {
  anArticle,
  aPlaybook,
  aTool,
  chooseOnPage,
  dialog,
  press,
  registered,
  toast,
} from './steps.ts';

const { product, browser } = await openSuite();

/** A new organization that made something, so often, and deleted it. */
async function deleted(path: string, data: object, count = 1): Promise<Page> {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  for (let n = 1; n <= count; n += 1) {
    const { id } = await (await page.request.post(path, { data })).json();
    await page.request.delete(`${path}/${id}`);
  }
  return page;
}

const rows = (page: Page) => dialog(page).getByRole('list').getByRole('listitem');

const places: [string, string, string, string, object, string][] = [
  ['agents', '/agents', 'Deleted agents', '/api/agents', agentInput, 'Support'],
  ['articles', '/knowledge', 'Deleted articles', '/api/knowledge', anArticle, 'Returns'],
  [
    'playbooks',
    '/knowledge?tab=playbooks',
    'Deleted playbooks',
    '/api/playbooks',
    aPlaybook,
    'Refund a customer',
  ],
  ['tools', '/tools', 'Deleted tools', '/api/tools', aTool, 'Orders'],
];

describe('deleted objects', () => {
  it.each(sampleOf(places, 4))(
    `of %s are found, viewed and restored (${sampleName()})`,
    async (_, at, list, path, made, name) => {
      const page = await deleted(path, made);
      await page.goto(at);
      await chooseOnPage(page, list);
      await rows(page).getByRole('heading', { name }).waitFor();
      await rows(page).getByText('Anna Berg').waitFor();
      await expectAccessible(page);

      await press(dialog(page), `History (${name})`);
      await dialog(page).getByText('Deleted', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });

      await chooseOnPage(page, list);
      await press(dialog(page), `Restore (${name})`);
      await toast(page, `${name} was restored`);
      await dialog(page).getByText('No deleted items').waitFor();
      // Keyboard focus is still in the dialog.
      await expect
        .poll(() => page.evaluate(`!!document.activeElement.closest('[role=dialog]')`))
        .toBe(true);
      await press(dialog(page), 'Close');
      await page.getByRole('article', { name }).waitFor();
    },
  );

  it('come in pages, and stay when they cannot be restored, with the reason', async () => {
    const page = await deleted('/api/tools', aTool, 21);
    await page.goto('/tools');
    await chooseOnPage(page, 'Deleted tools');
    await expect.poll(() => rows(page).count()).toBe(20);
    await press(dialog(page), 'Show more');
    await expect.poll(() => rows(page).count()).toBe(21);

    await page.route('**/restore', (route) => route.fulfill({ status: 429, json: {} }));
    await press(dialog(page), 'Restore (Orders)');
    await toast(page, "Couldn't restore Orders");
    await rows(page).getByRole('heading', { name: 'Orders' }).first().waitFor();
    await expect.poll(() => rows(page).count()).toBe(21);
  });

  it('are offered only to roles that can restore them', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { client } = await joinAs(admin, product.url, 'AgentManager');
    const manager = await pageOf(client, product.url, browser);
    await manager.goto('/tools');
    await chooseOnPage(manager, 'Deleted tools');
    await press(dialog(manager), 'Close');
    await manager.getByRole('link', { name: 'Knowledge Base', exact: true }).click();
    await manager.getByText('No articles yet').waitFor();
    await expect.poll(() => manager.getByRole('button', { name: 'More actions' }).count()).toBe(0);
  });
});
