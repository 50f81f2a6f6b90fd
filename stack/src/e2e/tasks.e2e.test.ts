import { readFile } from 'node:fs/promises';
import { TaskCancelled, TaskRequested } from '@tallyhand/contracts/features/tasks/tasks.events';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { agentInput } from '@tallyhand/test-kit/api-client';
import { type HttpServer, httpServer } from '@tallyhand/test-kit/http-server';
import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendPast } from '../testing/past-sessions.ts';
import { agentOwner, expectAccessible, openSuite } from './browser.ts';
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

const { product, browser } = await openSuite();
/** Answers a path that ends in `slow` never, and all others at once. */
let shop: HttpServer;

const steps = ['Within how many days of delivery?', 'GET /orders/7'];

beforeAll(async () => {
  shop = await httpServer(({ url = '' }, response) => {
    if (!url.endsWith('slow')) response.end('{"state":"sent"}');
  });
});
afterAll(() => shop[Symbol.asyncDispose]());

type Run = { readonly input: string; readonly type?: string };

async function post(page: Page, path: string, data: object, headers = {}) {
  const answer = await page.request.post(path, { data, headers });
  expect(answer.ok()).toBe(true);
  return await answer.json();
}

/** A new organization whose agent has run these tasks, the last one being the newest. */
async function withTasks(runs: readonly Run[], prefer?: string) {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const { id } = await post(page, '/api/agents', agentInput);
  await post(page, `/api/agents/${id}/assign`, {
    articles: [(await post(page, '/api/knowledge', anArticle)).id],
    playbooks: [(await post(page, '/api/playbooks', { ...aPlaybook, steps })).id],
    tools: [(await post(page, '/api/tools', { ...aTool, config: { baseUrl: shop.origin } })).id],
  });
  const headers = prefer ? { prefer } : {};
  for (const run of runs) await post(page, `/api/agents/${id}/execute`, run, headers);
  return { page, id };
}

const question = { input: 'Within how many days of delivery?' };
const failing = { input: 'Where is my order?', type: 'tool_run' };
const following = { input: 'Anna asks for her order', type: 'playbook' };
const endless = { input: 'GET /slow', type: 'tool_run' };

const rows = (page: Page) => page.locator('tbody [data-row]');
const count = (page: Page, shown: string) => page.getByText(`${shown} tasks`).waitFor();
const control = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const view = (row: Locator) => row.getByRole('button', { name: /^View task/ }).click();

const noneFound = (page: Page) =>
  page.getByText('Try adjusting your search or filter criteria.').waitFor();

/** What the browser saves, as text. */
async function saved(page: Page, within: Page | Locator, format: string) {
  await press(within, 'Export');
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: format }).click();
  return await readFile(await (await download).path(), 'utf8');
}

/** Each filter is part of the address, and the list goes back to the previous one. */
async function narrowed(page: Page) {
  await count(page, '3 of 3');
  await addFilter(page, 'Status', 'Failed');
  await count(page, '1 of 3');
  await control(page, 'Search tasks').fill('30 days');
  await noneFound(page);
  await page.goBack();
  await count(page, '3 of 3');
  await expect.poll(() => filterChips(page).count()).toBe(0);
  await expect.poll(() => control(page, 'Search tasks').inputValue()).toBe('');
  await control(page, 'Search tasks').fill('ANNA');
  await count(page, '1 of 3');
  await expect.poll(() => page.url()).toContain('q=ANNA');
  await press(page, 'Clear all');
  await count(page, '3 of 3');
  await expect.poll(() => control(page, 'Search tasks').inputValue()).toBe('');
}

async function exported(page: Page) {
  const table = await saved(page, page, 'As CSV');
  expect(table).toContain(failing.input);
  expect(table).not.toContain(question.input);
  expect(JSON.parse(await saved(page, page, 'As JSON'))).toMatchObject([{ input: failing.input }]);
}

async function closed(page: Page) {
  await press(dialog(page), 'Close');
  await dialogIsGone(page);
}

/** The one that failed, which may be run again. */
async function failedTask(page: Page) {
  await dialog(page)
    .getByText(/is missing what the tool “Orders” needs/)
    .waitFor();
  await press(dialog(page), 'Retry');
  const asking = page.getByRole('alertdialog');
  await asking.getByText(/costs 1 credit/).waitFor();
  await press(asking, 'Cancel');
  await closed(page);
}

async function playbookTask(page: Page) {
  await dialog(page).getByRole('heading', { name: '2. GET /orders/7' }).waitFor();
  await dialog(page).getByText('Step 2').click();
  await dialog(page).getByText('{"state":"sent"}').waitFor();
  await expectAccessible(page);
  await closed(page);
}

async function answeredTask(page: Page) {
  await dialog(page).getByText('Within 30 days of delivery.').first().waitFor();
  await dialog(page).getByRole('heading', { name: 'Sources' }).waitFor();
  await dialog(page).getByRole('tab', { name: 'Metadata' }).click();
  await dialog(page).getByText('Anna Berg').first().waitFor();
  await dialog(page).getByText('built-in engine').waitFor();
  await expectAccessible(page);
  await closed(page);
}

describe('the list of tasks', () => {
  it('is narrowed on the server, in an address that can be shared; is exported, shows each task, and keeps those of a deleted agent', async () => {
    const { page, id } = await withTasks([question, failing, following]);
    await page.goto('/tasks');
    await narrowed(page);
    await addFilter(page, 'Status', 'Failed');
    await count(page, '1 of 3');
    await exported(page);
    await addFilter(page, 'Type', 'Tool run');
    await view(rows(page).first());
    await page.waitForURL('**task=*');
    await page.reload();
    await failedTask(page);
    await count(page, '1 of 3');
    await expect.poll(() => chipTexts(page)).toEqual(['Status: Failed', 'Type: Tool run']);
    await addFilter(page, 'Type', 'Playbook');
    await noneFound(page);
    await press(page, 'Clear all');
    await count(page, '3 of 3');
    await view(rows(page).first());
    await playbookTask(page);
    await view(rows(page).last());
    await answeredTask(page);

    await page.request.delete(`/api/agents/${id}`);
    await page.goto(`/tasks?agentId=${id}&from=2020-01-01&to=2020-01-02&status=nonsense`);
    await noneFound(page);
    await filterChips(page)
      .getByRole('button', { name: /^Created/ })
      .click();
    await page.getByRole('menuitem', { name: 'Custom range…' }).click();
    await dialog(page).getByLabel('To').fill('2999-01-01');
    await press(dialog(page), 'Apply');
    await count(page, '3 of 3');
    await expectAccessible(page);
    await rows(page).last().getByText('Unknown Agent').waitFor();
    await expect
      .poll(() => chipTexts(page))
      .toEqual(['Agent: Deleted', expect.stringMatching(/^Created/)]);
    await view(rows(page).last());
    await dialog(page).getByText('Within 30 days of delivery.').first().waitFor();
  });

  it('continues where the first page ends', async () => {
    const { page, own } = await agentOwner(product, browser);
    const { organizationId, agentId, userId } = own;
    const past = () => {
      const task = { taskId: newId(), organizationId };
      const asked = { agentId, taskType: 'query' as const, ...question, requestedBy: userId };
      const deadline = new Date().toISOString();
      const events = [
        TaskRequested({ ...task, ...asked, price: 1, deadline }),
        TaskCancelled({ ...task, cancelledBy: userId }),
      ];
      return appendPast(product.config, `task-${task.taskId}`, organizationId, events);
    };
    for (let number = 0; number < 51; number++) await past();
    await page.goto('/tasks');
    await count(page, '50 of 51');
    await press(page, 'Show more');
    await count(page, '51 of 51');
    await expect.poll(() => rows(page).count()).toBe(51);
  });
});

describe('running tasks', () => {
  const box = (row: Locator) => row.getByRole('checkbox', { name: 'Select task of Support' });
  const cancelled = (page: Page, number: number) =>
    expect.poll(() => rows(page).getByText('Canceled').count()).toBe(number);

  it('are cancelled and retried, alone and together; those that were refused are named', async () => {
    const { page, id } = await withTasks([endless, endless, question], 'respond-async');
    const limitTo = async (monthlyCredits: number) => {
      const limit = { kind: 'agent', id, monthlyCredits };
      expect((await page.request.put('/api/billing/limits', { data: limit })).ok()).toBe(true);
    };
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
    await cancelled(page, 2);
    await bar.waitFor({ state: 'detached' });
    // Enough for one of both.
    await limitTo(2);
    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).press('Space');
    await press(bar, 'Retry (2)');
    await press(page.getByRole('alertdialog'), 'Retry (2)');
    await toast(page, 'Restarted: 1');
    const failed = page.getByRole('region', { name: 'Selected: 1' });
    await failed.getByRole('listitem').getByText('This agent has used').waitFor();
    await expectAccessible(page);
    const file = await saved(page, failed, 'As JSON');
    expect(JSON.parse(file)).toMatchObject([{ input: endless.input, status: 'cancelled' }]);
    await press(failed, 'Clear selection');
    await failed.waitFor({ state: 'detached' });
    await count(page, '4 of 4');
    await rows(page).getByText('Running').waitFor();
    await limitTo(100);

    const newest = rows(page).first();
    await newest.getByRole('button', { name: 'Cancel task of Support' }).click();
    await press(page.getByRole('alertdialog'), 'Keep running');
    await newest.getByText('Running').waitFor();
    await newest.getByRole('button', { name: 'Cancel task of Support' }).click();
    await press(page.getByRole('alertdialog'), 'Cancel task');
    await toast(page, 'Task canceled');
    await newest.getByText('Canceled').waitFor();
    await newest.getByRole('button', { name: 'Retry task of Support' }).click();
    await press(page.getByRole('alertdialog'), 'Retry');
    await dialog(page).getByRole('tab', { name: 'Metadata' }).click();
    await dialog(page).getByRole('button', { name: 'Earlier task' }).click();
    await dialog(page).getByText('Canceled', { exact: true }).waitFor();
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await count(page, '5 of 5');
    await page.getByRole('button', { name: 'Cancel task of Support' }).click();
    await press(page.getByRole('alertdialog'), 'Cancel task');
    await cancelled(page, 4);
  });
});
