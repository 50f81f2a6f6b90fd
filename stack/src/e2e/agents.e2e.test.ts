import {
  completion,
  openAiPeer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { newConnection } from '../testing/connections.ts';
import { openSuite, pageOf } from './browser.ts';
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

/** A page of a new organization that has one agent. */
async function withAgent() {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const post = (path: string, data: object) => page.request.post(path, { data });
  const { id } = await (await post('/api/agents', agentInput)).json();
  return { page, post, id };
}

const entry = (page: Page, text: RegExp) =>
  dialog(page).getByRole('listitem').filter({ hasText: text });

describe('an agent', () => {
  it('is created with the keyboard alone, changed, compared, restored, paused, deleted and brought back without loading the page again', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Hill Farm');
    // An unknown agent leads back to the agents.
    await page.goto('/agents/nothing');
    await backFromUnknown(page);
    await goInside(page, `/agents/${crypto.randomUUID()}`);
    await backFromUnknown(page);
    await createByKeyboard(page);
    await page.getByRole('heading', { name: 'Field notes' }).waitFor();
    // The header's button takes the place of the one in the empty list.
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Create Agent');

    const [made] = await (await page.request.get('/api/agents')).json();
    await page.request.post('/api/agents', { data: agentInput });
    await page.request.delete(`/api/agents/${made.id}`);
    await page.getByRole('heading', { name: 'Field notes' }).waitFor({ state: 'detached' });
    await chooseFromMenu(page, 'Support', 'Edit Agent');
    const style = field(page, 'personaConfig.communicationStyle');
    await expect.poll(() => style.inputValue()).toBe('friendly');
    await dialog(page).getByText('Returns', { exact: true }).waitFor();
    await field(page, 'name').fill('S');
    await press(dialog(page), 'Save Changes');
    await dialog(page).getByText('Name must be at least 2 characters').waitFor();
    await page.keyboard.press('Escape');
    await press(page.getByRole('alertdialog'), 'Keep editing');
    await field(page, 'name').fill('Returns desk');

    // A fault that only the server finds is shown at its field, too.
    await page.route('**/api/agents/*', (route, request) => {
      const body = { ...request.postDataJSON(), description: 'short' };
      return route.continue({ postData: JSON.stringify(body) });
    });
    const description = field(page, 'description');
    const described = await description.inputValue();
    await description.fill('Answers whatever customers ask');
    await press(dialog(page), 'Save Changes');
    await dialog(page).getByText('Description must be at least 10 characters').waitFor();
    await toast(page, 'Failed to update agent');
    await expect.poll(() => page.locator(':focus').getAttribute('name')).toBe('description');
    await page.unroute('**/api/agents/*');
    await description.fill(described);

    await style.selectOption('formal');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await press(dialog(page), 'Save Changes');
    expect(Object.keys((await sent).postDataJSON())).toEqual(['name', 'personaConfig']);
    await dialogIsGone(page);
    await page.getByRole('heading', { name: 'Returns desk' }).waitFor();

    const card = (name: string) => page.getByRole('article', { name });
    await chooseFromMenu(page, 'Returns desk', 'Pause Agent');
    await card('Returns desk').getByText('Paused').waitFor();
    await expect
      .poll(() => card('Returns desk').getByRole('button', { name: 'Execute Task' }).isDisabled())
      .toBe(true);
    await chooseFromMenu(page, 'Returns desk', 'Activate Agent');
    await card('Returns desk').getByText('Active').waitFor();

    await chooseFromMenu(page, 'Returns desk', 'History');
    const changed = entry(page, /^Changed/);
    await changed.getByText('Communication Style').waitFor();
    await expect
      .poll(() => changed.locator('del').allInnerTexts())
      .toEqual(['Support', 'Friendly']);
    await expect
      .poll(() => changed.locator('ins').allInnerTexts())
      .toEqual(['Returns desk', 'Formal']);
    await press(dialog(page), 'Restore this version (Version 1)');
    await press(page.getByRole('alertdialog'), 'Restore version');
    await entry(page, /Restored from version 1/).waitFor();
    await press(dialog(page), 'Close');
    await page.getByRole('heading', { name: 'Support' }).waitFor();

    await chooseFromMenu(page, 'Support', 'Delete Agent');
    await press(page.getByRole('alertdialog'), 'Delete Agent');
    await page.getByText('No agents yet').waitFor();
    await toast(page, 'Agent deleted');
    await press(page, 'Undo');
    await card('Support').waitFor();
  });

  it('that is deleted is restored from its history, to which the audit log links, and keeps its assignments', async () => {
    const { page, post, id } = await withAgent();
    for (let number = 1; number <= 9; number++) {
      await post('/api/knowledge', { ...anArticle, title: `Article ${number}` });
    }
    await post('/api/playbooks', aPlaybook);
    await post('/api/tools', aTool);
    await page.request.delete(`/api/agents/${id}`);
    await page.goto('/audit');
    await page.locator(`a[href="/agents?history=${id}"]`).first().click();
    await dialog(page).getByText('Deleted', { exact: true }).waitFor();
    await press(dialog(page), 'Restore this version (Version 1)');
    await press(page.getByRole('alertdialog'), 'Restore version');
    await dialog(page).getByText('Restored').waitFor();
    await press(dialog(page), 'Close');
    await page.getByRole('heading', { name: 'Support', exact: true }).waitFor();

    const box = (name: string) => dialog(page).getByRole('checkbox', { name, exact: true });
    const tab = (name: string | RegExp) => dialog(page).getByRole('tab', { name });
    await chooseFromMenu(page, 'Support', 'Assign Resources');
    await dialog(page).getByRole('searchbox').fill('article 7');
    await expect.poll(() => dialog(page).getByRole('checkbox').count()).toBe(1);
    await box('Article 7').click();
    await tab('Playbooks (0)').click();
    await box('Refund a customer').click();
    await tab('Tools (0)').click();
    await dialog(page).getByText('API', { exact: true }).waitFor();
    await box('Orders').click();
    await dialog(page).getByText('3 selected').waitFor();
    await press(dialog(page), 'Assign Resources');
    await dialogIsGone(page);

    await page.reload();
    await chooseFromMenu(page, 'Support', 'Assign Resources');
    await tab('Articles (1)').waitFor();
    await expect.poll(() => box('Article 7').isChecked()).toBe(true);
    await expect.poll(() => box('Article 1').isChecked()).toBe(false);
    await tab('Tools (1)').click();
    await expect.poll(() => box('Orders').isChecked()).toBe(true);
    await tab('Playbooks (1)').click();
    await box('Refund a customer').click();
    await press(dialog(page), 'Assign Resources');
    await dialogIsGone(page);

    await chooseFromMenu(page, 'Support', 'History');
    const removed = dialog(page).locator('del:visible');
    const added = dialog(page).locator('ins:visible');
    await expect.poll(() => removed.allInnerTexts()).toEqual(['Refund a customer']);
    await expect
      .poll(() => added.allInnerTexts())
      .toEqual(['Article 7', 'Refund a customer', 'Orders']);
  });

  it('runs nothing for an organization without credits, which every page reports at once', async () => {
    // Two tasks of a model that costs 40 credits leave 20 of the first 100.
    await using peer = await openAiPeer((response) =>
      sendJson(response, 200, completion({ answer: 'Yes.' })),
    );
    const { client } = await registerOrganization(product.url);
    const { id: connectionId } = await newConnection(client, {
      baseUrl: peer.baseURL,
      models: ['dear-1'],
    });
    const page = await pageOf(client, product.url, browser);
    const made = async (data: object): Promise<string> =>
      (await (await page.request.post('/api/agents', { data })).json()).id;
    const run = (id: string) =>
      page.request.post(`/api/agents/${id}/execute`, { data: { input: 'Hello' } });
    const dear = { ...agentInput, name: 'Dear', model: { connectionId, model: 'dear-1' } };
    const dearId = await made(dear);
    const id = await made(agentInput);
    for (const each of [dearId, dearId, ...Array<string>(19).fill(id)]) {
      expect((await run(each)).ok()).toBe(true);
    }
    await page.goto('/agents');
    await page.getByText('1 credit', { exact: true }).waitFor();
    await chooseFromMenu(page, 'Support', /Execute Task/);
    expect((await run(id)).ok()).toBe(true);
    await page.getByText('0 credits', { exact: true }).waitFor();
    await dialog(page)
      .getByText(/Not enough credits/)
      .waitFor();
    const send = dialog(page).getByRole('button', { name: /Execute Task/ });
    await expect.poll(() => send.isDisabled()).toBe(true);
    const refused = await run(id);
    expect(refused.status()).toBe(402);
    expect(await refused.json()).toMatchObject({ code: 'insufficient-credits' });
  });
});

async function backFromUnknown(page: Page) {
  await page.getByText('Agent Not Found').waitFor();
  await page.getByRole('link', { name: 'Back to Agents' }).click();
  await page.getByText('No agents yet').waitFor();
}

/** Creates the agent `Field notes` without the pointer. */
async function createByKeyboard(page: Page) {
  const type = async (text: string) => {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  };
  await tabTo(page, 'Create Agent');
  await page.keyboard.press('Enter');
  await dialog(page).waitFor();
  await type('Field notes');
  await type('Writes down what was seen');
  await type('Note taker');
  await type('Short and exact, never guesses');
  await page.keyboard.type('Research');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Create Agent');
  await page.keyboard.press('Enter');
  await dialogIsGone(page);
}

/** Presses Tab until the named control has the focus. */
async function tabTo(page: Page, name: string) {
  const described = `document.activeElement.textContent`;
  for (let steps = 0; steps < 60; steps++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(described)) === name) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}
