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
import { goInside } from './steps.ts';

const inputs = ['The first question', 'The second question'];

const SCREEN = { width: 1440, height: 900 };
const PHONE = { width: 375, height: 900 };

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

  it('is sorted by keys, by the address after a reload and on the way back, and by a choice on a phone', async () => {
    const page = await pageOf(client, product.url, browser);
    await page.setViewportSize(PHONE);
    await page.goto('/team?members-sort=-nothing');
    const choice = page.getByRole('combobox', { name: 'Sort by' }).first();
    // As it was: the address means nothing.
    await expect.poll(() => choice.inputValue()).toBe('');

    await page.setViewportSize(SCREEN);
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
    await page.emulateMedia({ media: null });

    await page.setViewportSize(PHONE);
    await choice.selectOption('Member: Z to A');
    await ofMembers(page, 'list Members').toEqual(members().toReversed());
    expect(new URL(page.url()).search).toBe('?members-sort=-member');
    await expectAccessible(page);
  });
});

describe('a list that comes page by page', () => {
  const lists = [
    ['/tasks?q=question', 'Recent Tasks', 'Created', 'sort=created', inputs.toReversed()],
    ['/audit?kind=task', 'Entries', 'Time', 'sort=time', inputs.toReversed()],
    ['/billing?tab=ledger', 'Ledger', 'Date', 'ledger-sort=when', ['#4, #5', '#1']],
  ] as const;

  it(`is sorted by time, beside its filter: ${lists.map(([path]) => path).join(', ')}`, async () => {
    const page = await pageOf(client, product.url, browser);
    for (const [index, [path, table, column, sort, newest]] of lists.entries()) {
      // The sorted address of the first list is loaded, and the plain ones of the others.
      const isFirst = index === 0;
      await (isFirst ? page.goto(`${path}&${sort}`) : goInside(page, `${path}&${sort}`));
      await sortOf(page, column).toBe('ascending');
      await foundIn(page, table, newest).toEqual(newest.toReversed());
      await head(page, column).getByRole('button').focus();
      await page.keyboard.press('Enter');
      await sortOf(page, column).toBe('descending');
      await foundIn(page, table, newest).toEqual(newest);
      await expect.poll(() => page.url()).toBe(`${product.url}${path}`);
      if (!isFirst) {
        await page.reload();
        await sortOf(page, column).toBe('descending');
        await foundIn(page, table, newest).toEqual(newest);
        await head(page, column).getByRole('button').focus();
      }
      await page.keyboard.press('Enter');
      await sortOf(page, column).toBe('ascending');
      await foundIn(page, table, newest).toEqual(newest.toReversed());
      await expect.poll(() => page.url()).toBe(`${product.url}${path}&${sort}`);
      // The head that was clicked was there all the time, and has the focus.
      await expect.poll(() => page.locator('th button:focus').innerText()).toBe(column);
      await expectAccessible(page);
    }
  });
});
