import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { expectAccessible, openBrowser, pageOf } from './browser.ts';
import { press } from './steps.ts';

let product: TestProduct;
const browser = openBrowser();
let client: ApiClient;

beforeAll(async () => {
  product = await sharedProduct();
  ({ client } = await registerOrganization(product.url));
  const params = { id: (await agentWithArticle(client)).agent.id };
  await client.call(executeTask, { params, body: { input: 'Within how many days?' } });
});

const head = (page: Page, name: string) => page.getByRole('columnheader', { name, exact: true });
const handle = (page: Page, name: string) =>
  page.getByRole('separator', { name: `Width of ${name}`, exact: true });
const sizeOf = async (page: Page, name: string) =>
  (await head(page, name).boundingBox())?.width ?? expect.unreachable();
const rowHeight = async (page: Page) =>
  (await page.locator('[data-row]').first().boundingBox())?.height ?? expect.unreachable();

/** On the cards of a phone are all the columns, in text as large as elsewhere. */
async function expectCards(page: Page) {
  const card = page.getByRole('list', { name: 'Recent Tasks' }).getByRole('listitem').first();
  for (const label of ['Status', 'Input', 'Credits', 'Created']) {
    await card.getByRole('term').filter({ hasText: label }).waitFor();
  }
  const size = "getComputedStyle(document.querySelector('li[data-row] dd')).fontSize";
  await expect.poll(() => page.evaluate(size)).toBe('14px');
  await card.getByRole('button', { name: /^View task/ }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Columns' }).count()).toBe(0);
  await expectAccessible(page);
}

async function hideByKeys(page: Page) {
  await page.getByRole('button', { name: 'Columns' }).press('Enter');
  await page.getByRole('menuitemcheckbox', { name: 'Type' }).press('Space');
  await head(page, 'Type').waitFor({ state: 'detached' });
  // The first one names the row.
  await expect.poll(() => page.getByRole('menuitemcheckbox', { name: 'Agent' }).count()).toBe(0);
  await page.getByRole('menuitemcheckbox', { name: 'Credits' }).press('Enter');
  await head(page, 'Credits').waitFor({ state: 'detached' });
  await expectAccessible(page);
}

/** By keys, and by dragging; the new width. */
async function resize(page: Page): Promise<number> {
  const before = await sizeOf(page, 'Status');
  await handle(page, 'Status').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => sizeOf(page, 'Status')).toBeGreaterThan(before + 20);
  const keyed = await sizeOf(page, 'Status');
  expect(Number(await handle(page, 'Status').getAttribute('aria-valuenow'))).toBeCloseTo(keyed, 0);
  const grip = (await handle(page, 'Status').boundingBox()) ?? expect.unreachable();
  await page.mouse.move(grip.x + 4, grip.y + 4);
  await page.mouse.down();
  await page.mouse.move(grip.x + 84, grip.y + 4, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => sizeOf(page, 'Status')).toBeGreaterThan(keyed + 60);
  const dragged = await sizeOf(page, 'Status');
  await expectAccessible(page);
  return dragged;
}

describe('the columns of a table', () => {
  it('are all shown on the cards of a phone; on a wide screen a user hides, widens and compacts them, also for the next load', async () => {
    const page = await pageOf(client, product.url, browser);
    await page.setViewportSize({ width: 375, height: 800 });
    await page.goto('/tasks');
    await expectCards(page);
    await page.setViewportSize({ width: 1440, height: 800 });
    await head(page, 'Type').waitFor();
    await hideByKeys(page);
    const before = await rowHeight(page);
    await page.getByRole('menuitemradio', { name: 'Compact' }).click();
    await expect.poll(() => rowHeight(page)).toBeLessThan(before);
    await page.keyboard.press('Escape');
    const dragged = await resize(page);
    await page.reload();
    await expect.poll(() => sizeOf(page, 'Status')).toBeCloseTo(dragged, 0);
    await expect.poll(() => head(page, 'Type').count()).toBe(0);
    await expect.poll(() => rowHeight(page)).toBeLessThan(before);
    await press(page, 'Columns');
    await page.getByRole('menuitem', { name: 'Reset columns' }).click();
    await head(page, 'Type').waitFor();
    await head(page, 'Credits').waitFor();
  });
});
