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
import { dialogIsGone, press } from './steps.ts';

/** In the order of the list, newest first. */
const inputs = ['The third question', 'The second question', 'The first question'] as const;

let product: TestProduct;
const browser = openBrowser();
let client: ApiClient;

beforeAll(async () => {
  product = await sharedProduct();
  ({ client } = await registerOrganization(product.url));
  const params = { id: (await agentWithArticle(client)).agent.id };
  for (const input of inputs.toReversed()) {
    await client.call(executeTask, { params, body: { input } });
  }
});

async function tasksPage(): Promise<Page> {
  const page = await pageOf(client, product.url, browser);
  await page.goto('/tasks');
  await rowOf(page, inputs[0]).waitFor();
  return page;
}

const rowOf = (page: Page, input: string) => page.locator('[data-row]', { hasText: input });
const panel = (page: Page) => page.getByRole('dialog', { name: 'Task details' });
const openTask = (page: Page) => new URL(page.url()).searchParams.get('task');

/** Waits until the panel shows this task. */
async function shows(page: Page, input: string) {
  await panel(page).getByRole('tab', { name: 'Input' }).click();
  await panel(page).getByText(input, { exact: true }).waitFor();
  await expect.poll(() => rowOf(page, input).getAttribute('aria-current')).toBe('true');
}

/** Selected with the mouse, which opens nothing. */
async function selectText(page: Page, input: string) {
  const box = (await rowOf(page, input).getByText(input).boundingBox()) ?? expect.unreachable();
  await page.mouse.move(box.x + 1, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => page.evaluate('getSelection().toString()')).toMatch(/^The/);
  expect(openTask(page)).toBeNull();
}

/** The table beside the panel is not covered, and still usable. */
async function expectBeside(page: Page) {
  const table = (await page.getByRole('table').boundingBox()) ?? expect.unreachable();
  const beside = (await panel(page).boundingBox()) ?? expect.unreachable();
  expect(table.x + table.width).toBeLessThan(beside.x);
  const around = page.getByRole('table').locator('..');
  await expect
    .poll(() => around.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
    .toBe(0);
}

describe('a row of a table', () => {
  it('opens a panel beside the table, in an address that reload and Back understand', async () => {
    const page = await tasksPage();
    await rowOf(page, inputs[1]).getByText(inputs[1]).click();
    await shows(page, inputs[1]);
    expect(openTask(page)).toBe(await rowOf(page, inputs[1]).getAttribute('data-row'));
    await expectAccessible(page);
    await page.reload();
    await shows(page, inputs[1]);
    await expectBeside(page);
    const type = page.getByRole('columnheader', { name: 'Type' });
    await expect.poll(() => type.count()).toBe(0);
    await rowOf(page, inputs[2]).getByText(inputs[2]).click();
    await shows(page, inputs[2]);
    await page.goBack();
    await shows(page, inputs[1]);
    await page.goBack();
    await dialogIsGone(page);
    await type.waitFor();

    // The text of a row can be selected, and its links work.
    await selectText(page, inputs[0]);
    await rowOf(page, inputs[0]).getByRole('link', { name: 'Support' }).click();
    await page.waitForURL('**/agents/*');
    expect(openTask(page)).toBeNull();
  });

  it('is followed and preceded by the others, by keys and buttons, also on a phone, and gets the focus back unless the user moved it', async () => {
    const page = await tasksPage();
    await rowOf(page, inputs[0])
      .getByRole('button', { name: /^View task/ })
      .press('Enter');
    await shows(page, inputs[0]);
    await page.keyboard.press('j');
    await shows(page, inputs[1]);
    await page.keyboard.press('j');
    await shows(page, inputs[2]);
    const next = panel(page).getByRole('button', { name: 'Next' });
    await expect.poll(() => next.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('k');
    await shows(page, inputs[1]);
    await press(panel(page), 'Previous');
    await shows(page, inputs[0]);
    await panel(page).focus();
    await page.keyboard.press('ArrowDown');
    await shows(page, inputs[1]);
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    // At the row that was open last.
    await expect
      .poll(() => rowOf(page, inputs[1]).locator(':focus').getAttribute('aria-label'))
      .toMatch(/^View task/);
    expect(openTask(page)).toBeNull();
    // The rows in between are no stops on the way back.
    await page.goBack();
    await shows(page, inputs[1]);
    await page.goBack();
    await dialogIsGone(page);

    await page.setViewportSize({ width: 375, height: 800 });
    await page.getByRole('table').waitFor({ state: 'detached' });
    await rowOf(page, inputs[1]).getByText(inputs[1]).click();
    await panel(page).getByRole('tab', { name: 'Input' }).waitFor();
    await expect
      .poll(() => panel(page).boundingBox())
      .toEqual({ x: 0, y: 0, width: 375, height: 800 });
    await expectAccessible(page);
    await press(panel(page), 'Next');
    await panel(page).getByRole('tab', { name: 'Input' }).click();
    await panel(page).getByText(inputs[2]).waitFor();
    await press(panel(page), 'Close');
    await dialogIsGone(page);
    await rowOf(page, inputs[2]).locator('button:focus').waitFor();

    await page.setViewportSize({ width: 1440, height: 800 });
    await page.getByRole('table').waitFor();
    await leaveForBell(page);
  });
});

/** The focus stays where the user moves it while the panel closes. */
async function leaveForBell(page: Page) {
  await rowOf(page, inputs[0]).getByText(inputs[0]).click();
  await shows(page, inputs[0]);
  const closed = panel(page).waitFor({ state: 'detached' });
  // Both in the same turn: the panel gives the focus back a moment after it has closed.
  await page.evaluate(`
    document.querySelector('[data-side-panel] [aria-label="Close"]').click();
    const bell = document.querySelector('[aria-label^="Notifications"]');
    bell.focus();
    bell.click();
  `);
  await closed;
  await page.getByRole('dialog', { name: 'Notifications' }).waitFor();
  await expect.poll(() => rowOf(page, inputs[0]).locator(':focus').count()).toBe(0);
}
