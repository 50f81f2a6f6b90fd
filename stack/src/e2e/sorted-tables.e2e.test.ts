import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { expectAccessible, openBrowser, pageOf } from './browser.ts';

const inputs = ['The first question', 'The second question'];

let product: TestProduct;
const browser = openBrowser();
let client: ApiClient;
let founder: string;

beforeAll(async () => {
  product = await sharedProduct();
  const registered = await registerOrganization(product.url);
  ({ client } = registered);
  founder = registered.user.username;
  for (const role of ['Viewer', 'Editor'] as const) await joinAs(client, product.url, role);
  const params = { id: (await agentWithArticle(client)).agent.id };
  for (const input of inputs) await client.call(executeTask, { params, body: { input } });
});

async function pageAt(path: string, width = 1440): Promise<Page> {
  const page = await pageOf(client, product.url, browser, { viewport: { width, height: 900 } });
  await page.goto(path);
  return page;
}

const head = (page: Page, name: string) =>
  page.getByRole('columnheader', { name, exact: true }).first();
const sortOf = (page: Page, name: string) =>
  expect.poll(() => head(page, name).getAttribute('aria-sort'));

/** The visible values of the list's rows, in their order. */
const foundIn = (page: Page, list: string, texts: readonly string[]) =>
  expect.poll(async () => {
    const rows = page.getByRole(list.startsWith('list') ? 'list' : 'table', {
      name: list.replace('list ', ''),
    });
    const text = await rows.first().innerText();
    return texts.toSorted((a, b) => text.indexOf(a) - text.indexOf(b));
  });

describe('a table with all its rows', () => {
  const members = () => ['The Editor', 'The Viewer', founder];
  const ofMembers = (page: Page, list = 'Members') => foundIn(page, list, members());

  it('is sorted by keys, and by the address after a reload and on the way back', async () => {
    const page = await pageAt('/team');
    await sortOf(page, 'Member').toBe('none');
    await head(page, 'Member').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await sortOf(page, 'Member').toBe('ascending');
    await ofMembers(page).toEqual(members());
    await page.keyboard.press('Enter');
    await sortOf(page, 'Member').toBe('descending');
    await ofMembers(page).toEqual(members().toReversed());
    expect(new URL(page.url()).search).toBe('?members-sort=-member');
    await expectAccessible(page);
    await page.reload();
    await sortOf(page, 'Member').toBe('descending');
    await ofMembers(page).toEqual(members().toReversed());
    await page.goBack();
    await sortOf(page, 'Member').toBe('ascending');
    await ofMembers(page).toEqual(members());
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => head(page, 'Member').innerText()).toBe('Member');
    await expect.poll(() => head(page, 'Member').locator('svg').isVisible()).toBe(false);
  });

  it('is sorted on a phone by a choice, and as it was by an address that means nothing', async () => {
    const page = await pageAt('/team?members-sort=-nothing', 375);
    const choice = page.getByRole('combobox', { name: 'Sort by' }).first();
    await expect.poll(() => choice.inputValue()).toBe('');
    await choice.selectOption('Member: Z to A');
    await ofMembers(page, 'list Members').toEqual(members().toReversed());
    expect(new URL(page.url()).search).toBe('?members-sort=-member');
    await expectAccessible(page);
  });
});

describe('a list that comes page by page', () => {
  it.each([
    ['/tasks?q=question', 'Recent Tasks', 'Created', 'sort=created', inputs.toReversed()],
    ['/audit?kind=task', 'Entries', 'Time', 'sort=time', inputs.toReversed()],
    ['/billing?tab=ledger', 'Ledger', 'Date', 'ledger-sort=when', ['#4, #5', '#1']],
  ])('is sorted by time, beside its filter: %s', async (path, table, column, sort, newest) => {
    const page = await pageAt(path);
    await sortOf(page, column).toBe('descending');
    await foundIn(page, table, newest).toEqual(newest);
    await head(page, column).getByRole('button').focus();
    await page.keyboard.press('Enter');
    await sortOf(page, column).toBe('ascending');
    await foundIn(page, table, newest).toEqual(newest.toReversed());
    await expect.poll(() => page.url()).toBe(`${product.url}${path}&${sort}`);
    await expectAccessible(page);
    await page.reload();
    await sortOf(page, column).toBe('ascending');
    await foundIn(page, table, newest).toEqual(newest.toReversed());
    // The head that was clicked was there all the time, and has the focus.
    await head(page, column).getByRole('button').focus();
    await page.keyboard.press('Enter');
    await foundIn(page, table, newest).toEqual(newest);
    await expect.poll(() => page.url()).toBe(`${product.url}${path}`);
    await expect.poll(() => page.locator('th button:focus').innerText()).toBe(column);
  });
});
