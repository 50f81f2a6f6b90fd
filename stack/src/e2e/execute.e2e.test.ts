import { agentInput } from '@tallyhand/test-kit/api-client';
import { type HttpServer, httpServer } from '@tallyhand/test-kit/http-server';
import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import {
  anArticle,
  aPlaybook,
  aTool,
  chooseFromMenu,
  dialog,
  dialogIsGone,
  field,
  goInside,
  press,
  registered,
  toast,
} from './steps.ts';

const { product, browser } = await openSuite();
let shop: HttpServer;

const steps = ['Within how many days of delivery?', 'Look up the state of the order'];

beforeAll(async () => {
  shop = await httpServer((_, response) => response.end('{"state":"sent"}'));
});
afterAll(() => shop[Symbol.asyncDispose]());

const made = async (page: Page, path: string, data: object): Promise<string> =>
  (await (await page.request.post(path, { data })).json()).id;

/** A new organization's agent, with an article. */
async function withAgent() {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const id = await made(page, '/api/agents', agentInput);
  await assign(page, id, { articles: [await made(page, '/api/knowledge', anArticle)] });
  return { page, id };
}

async function assign(page: Page, id: string, assignments: object) {
  const answer = await page.request.post(`/api/agents/${id}/assign`, { data: assignments });
  expect(answer.ok()).toBe(true);
}

const outcome = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const run = (page: Page | Locator) => press(page, /^Execute Task \(1 credit\)/);

const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
const isFocused = (control: Locator) =>
  control.evaluate((it) => it === it.ownerDocument.activeElement);

describe('the page of an agent’s tasks', () => {
  it('shows the answer first and then its passages, runs the same task again, and runs nothing with a paused or unknown agent', async () => {
    const { page, id } = await withAgent();
    await page.goto(`/agents/${crypto.randomUUID()}/execute`);
    await page.getByText('Agent Not Found').waitFor();
    await goInside(page, `/agent/${id}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // An answer in the chat is copied alike.
    await page.getByRole('textbox', { name: 'Message' }).fill('Within how many days of delivery?');
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    await press(page.getByRole('log'), 'Copy');
    await toast(page, 'Answer copied');
    await expect.poll(() => copied(page)).toContain('> Within 30 days of delivery.');
    await page.evaluate(`navigator.clipboard.writeText('Something else')`);
    await page.getByRole('link', { name: 'Execute Task' }).click();
    await page.getByText('No tasks yet.').waitFor();
    await page.getByText('A failed task costs nothing. Press Ctrl+Enter to run it.').waitFor();
    await field(page, 'input').fill('Within how many days of delivery?');
    await field(page, 'input').press('Control+Enter');
    const result = outcome(page, 'Completed');
    await result.getByRole('blockquote').first().getByText('Within 30 days of delivery.').waitFor();
    await toast(page, 'Task completed');
    const last = page.getByRole('link', { name: /^Within how many days of delivery.*Success$/ });
    await last.waitFor();

    const citation = result.getByRole('button', { name: 'Source 1: Returns' });
    await citation.click();
    const passage = page.getByRole('dialog', { name: 'Source 1: Returns' });
    await passage.getByText('Within 30 days of delivery.').waitFor();
    await passage.getByText('Passage 1, version 1').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    await expect.poll(() => isFocused(citation)).toBe(true);
    await expect.poll(() => result.getByText('Searched 1 passages').isVisible()).toBe(false);
    await result.getByText('Reasoning').click();
    await result.getByText('Searched 1 passages').waitFor();
    await expectAccessible(page);

    await press(result, 'Copy');
    await toast(page, 'Answer copied');
    await expect.poll(() => copied(page)).toBe('> Within 30 days of delivery.\n\n— “Returns”');
    await field(page, 'input').fill('Something else');
    await press(page, 'Retry (1 credit)');
    await expect.poll(() => last.count()).toBe(2);
    const spent = async () => (await page.request.get('/api/tasks/stats')).json();
    // The charge follows the answer.
    await expect.poll(spent).toMatchObject({ success: 2, creditsUsed: 2 });

    await page.request.put(`/api/agents/${id}`, { data: { isActive: false } });
    await page.getByText('Support is paused.').waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: /^Execute Task/ }).isDisabled())
      .toBe(true);

    await citation.click();
    await passage.getByRole('link', { name: 'Open article' }).click();
    await page.waitForURL('**/knowledge**');
    await passage.waitFor({ state: 'detached' });
    await dialog(page).getByText('Within 30 days of delivery.').waitFor();
    await page.goBack();
    await last.first().click();
    await page.waitForURL('**/tasks?task=*');
    await dialog(page).getByText('Within 30 days of delivery.').first().waitFor();
  });

  it('runs tools and playbooks once they are assigned, and explains each failure', async () => {
    const { page, id } = await withAgent();
    await page.goto(`/agents/${id}/execute`);
    await field(page, 'type').selectOption('playbook');
    await page.getByText('No playbook is assigned to this agent.').waitFor();
    await field(page, 'type').selectOption('tool_run');
    await page.getByText('No tool that a task can run is assigned to this agent.').waitFor();
    await run(page);
    await toast(page, 'Please provide instructions for the agent');
    await field(page, 'input').fill('Look it up');
    await run(page);
    const failed = outcome(page, 'Failed');
    await failed.getByText(/Assign one first, or ask/).waitFor();

    const shown = { name: 'Catalogue', description: 'Shows the catalogue' };
    await assign(page, id, {
      playbooks: [await made(page, '/api/playbooks', { ...aPlaybook, steps })],
      tools: [
        await made(page, '/api/tools', { ...aTool, config: { baseUrl: shop.origin } }),
        await made(page, '/api/tools', { ...aTool, ...shown, type: 'browser', config: {} }),
      ],
    });
    await field(page, 'toolId').waitFor();
    const offered = () => field(page, 'toolId').locator('option').allTextContents();
    await expect
      .poll(async () => (await offered()).toSorted())
      .toEqual(['Catalogue', 'Choose automatically', 'Orders']);
    await field(page, 'input').fill('GET /orders/7');
    await run(page);
    const completed = outcome(page, 'Completed');
    await completed.getByText('state: sent').waitFor();
    await field(page, 'input').fill('Where is my order?');
    await run(page);
    await failed.getByText('0 credits').waitFor();
    await failed.getByText(/is missing what the tool “Orders” needs/).waitFor();

    await field(page, 'type').selectOption('playbook');
    await field(page, 'input').fill('GET /orders/7 for Anna');
    await run(page);
    await completed.getByRole('heading', { name: `1. ${steps[0]}` }).waitFor();
    await completed.getByText('state: sent').waitFor();
    await completed.getByText('Step 2').click();
    await completed.getByText('{"state":"sent"}').waitFor();
    await expectAccessible(page);

    await inDialogOfAgents(page);
    await inGerman(page);
  });
});

/** The dialog lets a member choose the type, and starts again when it is opened again. */
async function inDialogOfAgents(page: Page) {
  await page.getByRole('link', { name: 'AI Agents' }).click();
  const open = () => chooseFromMenu(page, 'Support', 'Execute Task (1 credit)');
  await open();
  await expect.poll(() => field(page, 'type').inputValue()).toBe('query');
  await field(page, 'type').selectOption('playbook');
  await field(page, 'input').fill('GET /orders/7 for Anna');
  await run(dialog(page));
  await outcome(page, 'Completed').waitFor();
  await press(dialog(page), 'Close');
  await dialogIsGone(page);
  await open();
  await expect.poll(() => field(page, 'type').inputValue()).toBe('query');
  await expect.poll(() => field(page, 'input').inputValue()).toBe('');
}

/** Why a task failed is said in the reader's language, wherever it is shown. */
async function inGerman(page: Page) {
  await page.evaluate(`localStorage.setItem('tallyhand-language', 'de')`);
  const why = /In der Anfrage fehlt, was das Werkzeug „Orders“ braucht: /;
  await page.goto('/tasks?status=failed');
  await page.getByRole('button', { name: /^Aufgabe von .* anzeigen$/ }).click();
  await dialog(page).getByText(why).waitFor();
  await page.keyboard.press('Escape');
  // The focus that it gives back would close what is opened meanwhile.
  await dialogIsGone(page);
  await page.getByRole('button', { name: /^Mitteilungen/ }).click();
  await page.getByText(why).waitFor();
}
