import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { expectAccessible, openBrowser } from './browser.ts';
import {
  addFilter,
  anArticle,
  aPlaybook,
  aTool,
  chipTexts,
  dialog,
  dialogIsGone,
  filterChips,
  press,
  registered,
  toast,
} from './steps.ts';

let product: TestProduct;
const browser = openBrowser();
/** Answers a path that ends in `slow` never, and all others at once. */
let shop: Server;
let shopUrl = '';

const steps = ['Within how many days of delivery?', 'GET /orders/7'];

beforeAll(async () => {
  shop = createServer(({ url = '' }, response) => {
    if (!url.endsWith('slow')) response.end('{"state":"sent"}');
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  const { port } = shop.address() as AddressInfo;
  shopUrl = `http://127.0.0.1:${port}`;
  product = await sharedProduct();
});
afterAll(() => {
  shop.closeAllConnections();
  shop.close();
});

type Run = { readonly input: string; readonly type?: string };

/** A new organization whose agent has run these tasks, the last one being the newest. */
async function withTasks(runs: readonly Run[] = [], prefer?: string) {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const post = async (path: string, data: object, headers = {}) => {
    const answer = await page.request.post(path, { data, headers });
    expect(answer.ok()).toBe(true);
    return await answer.json();
  };
  const { id } = await post('/api/agents', agentInput);
  await post(`/api/agents/${id}/assign`, {
    articles: [(await post('/api/knowledge', anArticle)).id],
    playbooks: [(await post('/api/playbooks', { ...aPlaybook, steps })).id],
    tools: [(await post('/api/tools', { ...aTool, config: { baseUrl: shopUrl } })).id],
  });
  const tasks: string[] = [];
  for (const run of runs) {
    const headers = prefer ? { prefer } : {};
    tasks.push((await post(`/api/agents/${id}/execute`, run, headers)).taskId);
  }
  return { page, id, tasks };
}

const question = { input: 'Within how many days of delivery?' };
const failing = { input: 'Where is my order?', type: 'tool_run' };
const following = { input: 'Anna asks for her order', type: 'playbook' };
const endless = { input: 'GET /slow', type: 'tool_run' };

const rows = (page: Page) => page.locator('tbody [data-row]');
const count = (page: Page, shown: string) => page.getByText(`${shown} tasks`).waitFor();
const control = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const view = (row: Locator) => row.getByRole('button', { name: /^View task/ }).click();

describe('the list of tasks', () => {
  it('is searched and narrowed on the server, in an address that can be shared', async () => {
    const { page, id } = await withTasks([question, failing, following]);
    await page.goto('/tasks');
    await count(page, '3 of 3');
    await control(page, 'Search tasks').fill('ANNA');
    await count(page, '1 of 3');
    await expect.poll(() => page.url()).toContain('q=ANNA');
    await press(page, 'Clear all');
    await count(page, '3 of 3');
    await expect.poll(() => control(page, 'Search tasks').inputValue()).toBe('');
    await addFilter(page, 'Status', 'Failed');
    await count(page, '1 of 3');
    await addFilter(page, 'Type', 'Tool run');
    await page.reload();
    await count(page, '1 of 3');
    await expect.poll(() => chipTexts(page)).toEqual(['Status: Failed', 'Type: Tool run']);
    await addFilter(page, 'Type', 'Playbook');
    await page.getByText('Try adjusting your search or filter criteria.').waitFor();
    await page.goto(`/tasks?agentId=${id}&from=2020-01-01&to=2020-01-02&status=nonsense`);
    await page.getByText('Try adjusting your search or filter criteria.').waitFor();
    await filterChips(page)
      .getByRole('button', { name: /^Created/ })
      .click();
    await page.getByRole('menuitem', { name: 'Custom range…' }).click();
    await dialog(page).getByLabel('To').fill('2999-01-01');
    await press(dialog(page), 'Apply');
    await count(page, '3 of 3');
    await expectAccessible(page);
  });

  it('returns to the previous selection', async () => {
    const { page } = await withTasks([question, failing]);
    await page.goto('/tasks');
    await count(page, '2 of 2');
    await addFilter(page, 'Status', 'Failed');
    await count(page, '1 of 2');
    await control(page, 'Search tasks').fill('30 days');
    await page.getByText('Try adjusting your search or filter criteria.').waitFor();
    await page.goBack();
    await count(page, '2 of 2');
    await expect.poll(() => filterChips(page).count()).toBe(0);
    await expect.poll(() => control(page, 'Search tasks').inputValue()).toBe('');
  });

  it('keeps the tasks of a deleted agent', async () => {
    const { page, id } = await withTasks([question]);
    await page.request.delete(`/api/agents/${id}`);
    await page.goto(`/tasks?agentId=${id}`);
    await rows(page).getByText('Unknown Agent').waitFor();
    await expect.poll(() => chipTexts(page)).toEqual(['Agent: Deleted']);
    await view(rows(page).first());
    await dialog(page).getByText('Within 30 days of delivery.').first().waitFor();
  });

  it('continues where the first page ends', async () => {
    const { page } = await withTasks(Array.from({ length: 51 }, () => question));
    await page.goto('/tasks');
    await count(page, '50 of 51');
    await press(page, 'Show more');
    await count(page, '51 of 51');
    await expect.poll(() => rows(page).count()).toBe(51);
  });

  it('is saved as a file, with its filters', async () => {
    const { page } = await withTasks([question, failing]);
    await page.goto('/tasks?status=failed');
    await count(page, '1 of 2');
    const saved = async (format: string) => {
      await press(page, 'Export');
      const download = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: format }).click();
      return await readFile(await (await download).path(), 'utf8');
    };
    const table = await saved('As CSV');
    expect(table).toContain(failing.input);
    expect(table).not.toContain(question.input);
    expect(JSON.parse(await saved('As JSON'))).toMatchObject([{ input: failing.input }]);
  });

  it('shows a running task, cancels it, and runs it again', async () => {
    const { page } = await withTasks([endless], 'respond-async');
    await page.goto('/tasks');
    await rows(page).getByText('Running').waitFor();
    await rows(page).getByRole('button', { name: 'Cancel task of Support' }).click();
    await press(page.getByRole('alertdialog'), 'Keep running');
    await rows(page).getByText('Running').waitFor();
    await rows(page).getByRole('button', { name: 'Cancel task of Support' }).click();
    await press(page.getByRole('alertdialog'), 'Cancel task');
    await toast(page, 'Task canceled');
    await rows(page).getByText('Canceled').waitFor();
    await rows(page).getByRole('button', { name: 'Retry task of Support' }).click();
    await press(page.getByRole('alertdialog'), 'Retry');
    await dialog(page).getByRole('tab', { name: 'Metadata' }).click();
    await dialog(page).getByRole('button', { name: 'Earlier task' }).click();
    await dialog(page).getByText('Canceled', { exact: true }).waitFor();
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await count(page, '2 of 2');
    await page.getByRole('button', { name: 'Cancel task of Support' }).click();
    await press(page.getByRole('alertdialog'), 'Cancel task');
    await expect.poll(() => rows(page).getByText('Canceled').count()).toBe(2);
  });
});

describe('selected tasks', () => {
  const box = (row: Locator) => row.getByRole('checkbox', { name: 'Select task of Support' });

  it('are cancelled and retried together, and those that were refused are named', async () => {
    const { page, id } = await withTasks([endless, endless, question], 'respond-async');
    await page.goto('/tasks');
    await expect.poll(() => rows(page).getByText('Running').count()).toBe(2);
    await rows(page).getByText('Success').waitFor();
    await box(rows(page).first()).click();
    await box(rows(page).last()).click({ modifiers: ['Shift'] });
    const bar = page.getByRole('region', { name: 'Selected: 3' });
    await bar.waitFor();
    await expect.poll(() => bar.getByRole('button', { name: 'Retry (0)' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await press(bar, 'Cancel (2)');
    await press(page.getByRole('alertdialog'), 'Cancel (2)');
    await toast(page, 'Canceled: 2');
    await expect.poll(() => rows(page).getByText('Canceled').count()).toBe(2);
    await bar.waitFor({ state: 'detached' });
    // Enough for one of both.
    const limit = { kind: 'agent', id, monthlyCredits: 2 };
    expect((await page.request.put('/api/billing/limits', { data: limit })).ok()).toBe(true);
    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).press('Space');
    await press(bar, 'Retry (2)');
    await press(page.getByRole('alertdialog'), 'Retry (2)');
    await toast(page, 'Restarted: 1');
    const failed = page.getByRole('region', { name: 'Selected: 1' });
    await failed.getByRole('listitem').getByText('This agent has used').waitFor();
    await expectAccessible(page);
    await press(failed, 'Export');
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'As JSON' }).click();
    const file = await readFile(await (await download).path(), 'utf8');
    expect(JSON.parse(file)).toMatchObject([{ input: endless.input, status: 'cancelled' }]);
    await press(failed, 'Clear selection');
    await failed.waitFor({ state: 'detached' });
    await count(page, '4 of 4');
    await rows(page).getByText('Running').waitFor();
  });
});

describe('one task', () => {
  it('shows the answer, its passages, and who asked', async () => {
    const { page } = await withTasks([question]);
    await page.goto('/tasks');
    await view(rows(page).first());
    await dialog(page).getByText('Within 30 days of delivery.').first().waitFor();
    await dialog(page).getByRole('heading', { name: 'Sources' }).waitFor();
    await dialog(page).getByRole('tab', { name: 'Metadata' }).click();
    await dialog(page).getByText('Anna Berg').first().waitFor();
    await dialog(page).getByText('built-in engine').waitFor();
    await expectAccessible(page);
  });

  it('shows the finished steps and the tool calls', async () => {
    const { page, tasks } = await withTasks([following, failing]);
    await page.goto(`/tasks?task=${tasks[0]}`);
    await dialog(page).getByRole('heading', { name: '2. GET /orders/7' }).waitFor();
    await dialog(page).getByText('Step 2').click();
    await dialog(page).getByText('{"state":"sent"}').waitFor();
    await expectAccessible(page);
    await page.goto(`/tasks?task=${tasks[1]}`);
    await dialog(page)
      .getByText(/is missing what the tool “Orders” needs/)
      .waitFor();
    await press(dialog(page), 'Retry');
    await page
      .getByRole('alertdialog')
      .getByText(/costs 1 credit/)
      .waitFor();
  });
});
