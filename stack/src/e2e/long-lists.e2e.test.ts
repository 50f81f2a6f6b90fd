import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { lengthen, longLists } from '../testing/long-lists.ts';
import { expectAccessible, openSuite, pageOf } from './browser.ts';

const COUNT = 5_000;

let client: ApiClient;

const { product, browser } = await openSuite();
beforeAll(async () => {
  ({ client } = await registerOrganization(product.url));
  const { agent } = await agentWithArticle(client);
  const body = { input: 'Can it be returned?', type: 'query' };
  await client.call(executeTask, { params: { id: agent.id }, body });
});

async function longPage(list: 'tasks' | 'audit', width = 1440): Promise<Page> {
  const page = await pageOf(client, product.url, browser, { viewport: { width, height: 900 } });
  const { path, read } = longLists[list];
  await lengthen(page, read, COUNT);
  await page.goto(path);
  await page.locator('main [data-index="5"]').waitFor();
  return page;
}

const rows = (page: Page) => page.locator('main [data-index]');
const toTheEnd = (page: Page) =>
  page.evaluate('window.scrollTo({ top: document.body.scrollHeight, behavior: "instant" })');

describe('a table of thousands', () => {
  it('renders the rows near the visible ones, and announces their positions', async () => {
    const page = await longPage('tasks');
    const table = page.getByRole('table', { name: 'Recent Tasks' });
    await expect.poll(() => table.getAttribute('aria-rowcount')).toBe(String(COUNT + 1));
    await expect.poll(() => rows(page).count()).toBeLessThan(100);
    await expectAccessible(page);
    await expect
      .poll(async () => {
        await toTheEnd(page);
        return rows(page).last().getAttribute('aria-rowindex');
      })
      .toBe(String(COUNT + 1));
    await expect.poll(() => rows(page).count()).toBeLessThan(100);
  });

  it('is navigated by keys, and keeps the focused row', async () => {
    const page = await longPage('tasks');
    const focused = page.locator('main [data-index]:focus-within');
    await rows(page).first().getByRole('button').focus();
    for (let at = 1; at <= 60; at++) {
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => focused.getAttribute('data-index')).toBe(String(at));
    }
    await toTheEnd(page);
    await page.locator(`main [data-index="${COUNT - 10}"]`).waitFor();
    await expect.poll(() => focused.getAttribute('data-index')).toBe('60');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
  });

  it('is a list on a phone, with the same in it', async () => {
    const page = await longPage('tasks', 375);
    const [first] = await page.getByRole('list', { name: 'Recent Tasks' }).locator('li').all();
    await expect.poll(() => first?.getAttribute('aria-posinset')).toBe('1');
    await expect.poll(() => first?.getAttribute('aria-setsize')).toBe(String(COUNT));
    await expect.poll(() => rows(page).count()).toBeLessThan(100);
    await expectAccessible(page);
  });
});

describe('the audit log', () => {
  it('is all there on paper', async () => {
    const page = await longPage('audit');
    await expect.poll(() => rows(page).count()).toBeLessThan(100);
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => rows(page).count()).toBe(COUNT);
  });
});
