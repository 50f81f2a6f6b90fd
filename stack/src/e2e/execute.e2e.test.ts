import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { expectAccessible, openBrowser } from './browser.ts';
import {
  anArticle,
  aPlaybook,
  aTool,
  chooseFromMenu,
  dialog,
  dialogIsGone,
  field,
  press,
  registered,
  toast,
} from './steps.ts';

let product: TestProduct;
const browser = openBrowser();
let shop: Server;
let shopUrl = '';

const steps = ['Within how many days of delivery?', 'Look up the state of the order'];

beforeAll(async () => {
  shop = createServer((_, response) => response.end('{"state":"sent"}'));
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  const { port } = shop.address() as AddressInfo;
  shopUrl = `http://127.0.0.1:${port}`;
  product = await sharedProduct();
});
afterAll(() => {
  shop.closeAllConnections();
  shop.close();
});

const made = async (page: Page, path: string, data: object): Promise<string> =>
  (await (await page.request.post(path, { data })).json()).id;

/** A new organization's agent, with an article, and a playbook and a tool where they are wanted. */
async function withAgent(wanted: { playbook?: boolean; tool?: boolean } = {}) {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const id = await made(page, '/api/agents', agentInput);
  const assignments = {
    articles: [await made(page, '/api/knowledge', anArticle)],
    playbooks: wanted.playbook ? [await made(page, '/api/playbooks', { ...aPlaybook, steps })] : [],
    tools: wanted.tool ? [await made(page, '/api/tools', toolOfShop())] : [],
  };
  const answer = await page.request.post(`/api/agents/${id}/assign`, { data: assignments });
  expect(answer.ok()).toBe(true);
  return { page, id };
}

const toolOfShop = () => ({ ...aTool, config: { baseUrl: shopUrl } });

const openPage = async (page: Page, id: string) => {
  await page.goto(`/agents/${id}/execute`);
  await page.getByRole('heading', { name: 'Recent tasks' }).waitFor();
};
const outcome = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const run = (page: Page | Locator) => press(page, /^Execute Task \(1 credit\)/);

describe('the page of an agent’s tasks', () => {
  it('answers a question, and lists it among the last tasks', async () => {
    const { page, id } = await withAgent();
    await page.goto(`/agent/${id}`);
    await page.getByRole('link', { name: 'Execute Task' }).click();
    await page.getByText('No tasks yet.').waitFor();
    await field(page, 'input').fill('Within how many days of delivery?');
    await run(page);
    await outcome(page, 'Completed').getByText('Within 30 days of delivery.').first().waitFor();
    await toast(page, 'Task completed');
    const last = page.getByRole('link', { name: /Within how many days of delivery/ });
    await last.getByText('Success').waitFor();
    await expectAccessible(page);
    await last.click();
    await dialog(page).getByText('Within 30 days of delivery.').first().waitFor();
  });

  it('shows the answer first: a citation opens its passage, and the rest is folded', async () => {
    const { page, id } = await withAgent();
    await openPage(page, id);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('A failed task costs nothing. Press Ctrl+Enter to run it.').waitFor();
    await field(page, 'input').fill('Within how many days of delivery?');
    await field(page, 'input').press('Control+Enter');
    const result = outcome(page, 'Completed');
    await result.getByRole('blockquote').first().getByText('Within 30 days of delivery.').waitFor();
    const citation = result.getByRole('button', { name: 'Source 1: Returns' });
    await citation.click();
    const passage = page.getByRole('dialog', { name: 'Source 1: Returns' });
    await passage.getByText('Within 30 days of delivery.').waitFor();
    await passage.getByText('Passage 1, version 1').waitFor();
    await expectAccessible(page);
    const article = await passage.getByRole('link', { name: 'Open article' }).getAttribute('href');
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    await expect
      .poll(() => citation.evaluate((it) => it === it.ownerDocument.activeElement))
      .toBe(true);

    await expect.poll(() => result.getByText('Searched 1 passages').isVisible()).toBe(false);
    await result.getByText('Reasoning').click();
    await result.getByText('Searched 1 passages').waitFor();

    await press(result, 'Copy');
    await toast(page, 'Answer copied');
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toBe('> Within 30 days of delivery.\n\n— “Returns”');
    await page.goto(`${article}`);
    await dialog(page).getByText('Within 30 days of delivery.').waitFor();
  });

  it('runs the same instructions again as a new task, at the price that is shown', async () => {
    const { page, id } = await withAgent();
    await openPage(page, id);
    await field(page, 'input').fill('Within how many days of delivery?');
    await run(page);
    await outcome(page, 'Completed').waitFor();
    await field(page, 'input').fill('Something else');
    await press(page, 'Retry (1 credit)');
    const last = page.getByRole('link', { name: /^Within how many days of delivery.*Success$/ });
    await expect.poll(() => last.count()).toBe(2);
    const spent = await (await page.request.get('/api/tasks/stats')).json();
    expect(spent).toMatchObject({ success: 2, creditsUsed: 2 });
  });

  it('follows a playbook, and shows the result of each step', async () => {
    const { page, id } = await withAgent({ playbook: true, tool: true });
    await openPage(page, id);
    await field(page, 'type').selectOption('playbook');
    await field(page, 'input').fill('GET /orders/7 for Anna');
    await run(page);
    const result = outcome(page, 'Completed');
    await result.getByRole('heading', { name: `1. ${steps[0]}` }).waitFor();
    await result.getByText('state: sent').waitFor();
    await result.getByText('Step 2').click();
    await result.getByText('{"state":"sent"}').waitFor();
    await expectAccessible(page);
  });

  it('runs a tool, and reports why it failed', async () => {
    const { page, id } = await withAgent({ tool: true });
    await openPage(page, id);
    await field(page, 'type').selectOption('tool_run');
    await field(page, 'input').fill('GET /orders/7');
    await run(page);
    await outcome(page, 'Completed').getByText('state: sent').waitFor();
    await field(page, 'input').fill('Where is my order?');
    await run(page);
    await outcome(page, 'Failed').getByText('0 credits').waitFor();
    await outcome(page, 'Failed')
      .getByText(/is missing what the tool “Orders” needs/)
      .waitFor();
  });

  it("explains a failure in the reader's language, wherever it is shown", async () => {
    const { page, id } = await withAgent({ tool: true });
    await openPage(page, id);
    await field(page, 'type').selectOption('tool_run');
    await field(page, 'input').fill('Where is my order?');
    await run(page);
    await outcome(page, 'Failed').waitFor();
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
  });

  it('offers every tool of the agent, its browsers too', async () => {
    const { page, id } = await withAgent();
    const browsing = { ...aTool, name: 'Catalogue', type: 'browser', config: {} };
    const tools = [await made(page, '/api/tools', aTool), await made(page, '/api/tools', browsing)];
    await page.request.post(`/api/agents/${id}/assign`, { data: { tools } });
    await openPage(page, id);
    await field(page, 'type').selectOption('tool_run');
    await field(page, 'toolId').waitFor();
    const offered = () => field(page, 'toolId').locator('option').allTextContents();
    await expect
      .poll(async () => (await offered()).toSorted())
      .toEqual(['Catalogue', 'Choose automatically', 'Orders']);
  });

  it('reports missing input before anything runs', async () => {
    const { page, id } = await withAgent();
    await openPage(page, id);
    await field(page, 'type').selectOption('playbook');
    await page.getByText('No playbook is assigned to this agent.').waitFor();
    await field(page, 'type').selectOption('tool_run');
    await page.getByText('No tool that a task can run is assigned to this agent.').waitFor();
    await run(page);
    await toast(page, 'Please provide instructions for the agent');
    await field(page, 'input').fill('Look it up');
    await run(page);
    await outcome(page, 'Failed')
      .getByText(/Assign one first, or ask/)
      .waitFor();
  });

  it("does not show other organizations' agents, and disables a paused one", async () => {
    const { page, id } = await withAgent();
    await page.goto(`/agents/${crypto.randomUUID()}/execute`);
    await page.getByText('Agent Not Found').waitFor();
    await page.request.put(`/api/agents/${id}`, { data: { isActive: false } });
    await openPage(page, id);
    await page.getByText('Support is paused.').waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: /^Execute Task/ }).isDisabled())
      .toBe(true);
  });
});

describe('the dialog on the agents page', () => {
  it('lets a member choose the type, and starts again when it is opened again', async () => {
    const { page } = await withAgent({ playbook: true });
    await page.goto('/agents');
    const open = () => chooseFromMenu(page, 'Support', 'Execute Task (1 credit)');
    await open();
    await expect.poll(() => field(page, 'type').inputValue()).toBe('query');
    await field(page, 'type').selectOption('playbook');
    await field(page, 'input').fill('Anna wants money back');
    await run(dialog(page));
    await outcome(page, 'Completed').waitFor();
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await open();
    await expect.poll(() => field(page, 'type').inputValue()).toBe('query');
    await expect.poll(() => field(page, 'input').inputValue()).toBe('');
  });
});
