import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { isAllCases } from '@tallyhand/test-kit/cases';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { lengthen, longLists } from '../testing/long-lists.ts';
import { expectAccessible, openSuite, pageOf } from './browser.ts';
import { dialogIsGone } from './steps.ts';

const COUNT = isAllCases() ? 5_000 : 2_000;
/** At least five times as many as are rendered whole on a screen; on paper they are all rendered. */
const COUNT_ON_PAPER = isAllCases() ? 5_000 : 1_000;

let client: ApiClient;

const { product, browser } = await openSuite();
beforeAll(async () => {
  ({ client } = await registerOrganization(product.url));
  const { agent } = await agentWithArticle(client);
  const body = { input: 'Can it be returned?', type: 'query' };
  await client.call(executeTask, { params: { id: agent.id }, body });
});

async function longPage(list: 'tasks' | 'audit', count = COUNT): Promise<Page> {
  const page = await pageOf(client, product.url, browser);
  const { path, read } = longLists[list];
  await lengthen(page, read, count);
  await page.goto(path);
  await page.locator('main [data-index="5"]').waitFor();
  return page;
}

const rows = (page: Page) => page.locator('main [data-index]');
const toTheEnd = (page: Page) =>
  page.evaluate('window.scrollTo({ top: document.body.scrollHeight, behavior: "instant" })');

describe('a table of thousands', () => {
  it('renders the rows near the visible ones, announces their positions, and keeps the focused row', async () => {
    const page = await longPage('tasks');
    const table = page.getByRole('table', { name: 'Recent Tasks' });
    await expect.poll(() => table.getAttribute('aria-rowcount')).toBe(String(COUNT + 1));
    await expect.poll(() => rows(page).count()).toBeLessThan(100);
    await expectAccessible(page);
    const focused = page.locator('main [data-index]:focus-within');
    await rows(page).first().getByRole('button').focus();
    // To a row that was not rendered before.
    const last = (await rows(page).count()) + 10;
    for (let at = 1; at <= last; at++) {
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => focused.getAttribute('data-index')).toBe(String(at));
    }
    await expect
      .poll(async () => {
        await toTheEnd(page);
        return rows(page).last().getAttribute('aria-rowindex');
      })
      .toBe(String(COUNT + 1));
    await page.locator(`main [data-index="${COUNT - 10}"]`).waitFor();
    await expect.poll(() => rows(page).count()).toBeLessThan(100);
    await expect.poll(() => focused.getAttribute('data-index')).toBe(String(last));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await dialogIsGone(page);

    // On a phone it is a list with the same in it.
    await page.setViewportSize({ width: 375, height: 900 });
    const list = page.getByRole('list', { name: 'Recent Tasks' });
    await list.waitFor();
    await page.evaluate('window.scrollTo({ top: 0, behavior: "instant" })');
    const first = list.locator('li').first();
    await expect.poll(() => first.getAttribute('aria-posinset')).toBe('1');
    await expect.poll(() => first.getAttribute('aria-setsize')).toBe(String(COUNT));
    await expect.poll(() => rows(page).count()).toBeLessThan(100);
    await expectAccessible(page);
  });
});

describe('the audit log', () => {
  it('is all there on paper', async () => {
    const page = await longPage('audit', COUNT_ON_PAPER);
    await expect.poll(() => rows(page).count()).toBeLessThan(100);
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => rows(page).count()).toBe(COUNT_ON_PAPER);
  });
});
