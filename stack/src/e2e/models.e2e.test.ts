import {
  calling,
  completion,
  openAiPeer,
  type Peer,
  StreamedCompletion,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import {
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
let peer: Peer;
beforeAll(async () => {
  peer = await openAiPeer((response, { path, authorization, body }) => {
    if (authorization !== 'Bearer the-key') return sendJson(response, 401, { error: {} });
    if (path.endsWith('/models')) {
      const data = ['peer-large', 'peer-tiny'].map((id) => ({ id, object: 'model' }));
      return sendJson(response, 200, { object: 'list', data });
    }
    if (body.stream) return new StreamedCompletion(response).say('OK').end();
    return sendJson(response, 200, body.tools ? calling(['say_ok', {}]) : completion('OK'));
  });
});
afterAll(() => peer?.[Symbol.asyncDispose]());

const card = (page: Page, name: string) => page.getByRole('article', { name });

/** A connection of a new organization to the peer, which has these models. */
async function connected(models: readonly string[]) {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const body = {
    name: 'Peers',
    provider: 'other',
    baseUrl: peer.baseURL,
    models,
    apiKey: 'the-key',
  };
  const made = await page.request.post('/api/connections', { data: body });
  expect(made.status()).toBe(201);
  return { page, id: (await made.json()).id as string };
}

describe('the page of models', () => {
  it('connects a server of this computer by a click, and another as its provider proposes', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    // The product of tests has many organizations, and looks for none.
    const server = {
      provider: 'ollama',
      baseUrl: 'http://127.0.0.1:11434/v1',
      models: ['llama3.2:latest'],
      embeddingModel: null,
    };
    await page.route('**/api/local-model-servers', (route) => route.fulfill({ json: [server] }));
    await page.goto('/settings?tab=models');
    await page.getByRole('link', { name: 'Manage connections' }).click();
    await page.getByText('No connections yet').waitFor();
    await page.getByRole('heading', { name: 'Ollama is running on this computer' }).waitFor();
    await expectAccessible(page);
    await press(page, 'Connect Ollama');
    await toast(page, 'Ollama connected');
    await card(page, 'Ollama').getByText('Default: llama3.2:latest').waitFor();
    await page.getByText('Ollama is running on this computer').waitFor({ state: 'detached' });
    const [kept] = await (await page.request.get('/api/connections')).json();
    expect(kept).toMatchObject({ ...server, name: 'Ollama', apiKey: 'none' });

    await press(page, 'Add connection');
    await field(page, 'provider').selectOption({ label: 'Mistral' });
    await expect.poll(() => field(page, 'baseUrl').inputValue()).toBe('https://api.mistral.ai/v1');
    await expect.poll(() => field(page, 'models').inputValue()).toContain('mistral-small-latest');
    await expect.poll(() => field(page, 'embeddingModel').inputValue()).toBe('mistral-embed');
    await expectAccessible(page);
    await page.locator('[name="apiKey"]').fill('a-key-of-mistral');
    await press(dialog(page), 'Add connection');
    await toast(page, 'Connection added');
    await card(page, 'Mistral').getByText('API key stored').waitFor();
    await expectAccessible(page);
  });

  it('tests, changes, prices, moves and deletes a connection, and takes that back', async () => {
    const { page, id } = await connected(['peer-small']);
    await page.goto('/settings/models');
    await chooseFromMenu(page, 'Peers', 'Test connection');
    await press(page, 'Test');
    await dialog(page).getByText('Works').waitFor();
    await dialog(page).getByText('Supported').first().waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialogIsGone(page);

    await chooseFromMenu(page, 'Peers', 'Edit connection');
    await press(dialog(page), 'Add price');
    await dialog(page).getByLabel('Input: peer-small', { exact: true }).fill('cheap');
    await dialog(page).getByLabel('Output: peer-small').fill('6');
    await press(page, 'Load from endpoint');
    await dialog(page).getByText('The endpoint has 2 models.').waitFor();
    await press(dialog(page), 'Save changes');
    await dialog(page).getByText('Enter dollars, such as 1.25').waitFor();
    await expectAccessible(page);
    await dialog(page).getByLabel('Input: peer-small', { exact: true }).fill('1,5');
    await press(dialog(page), 'Save changes');
    await toast(page, 'Connection updated');
    await dialogIsGone(page);
    const kept = await (await page.request.get(`/api/connections/${id}`)).json();
    expect(kept.models).toEqual(['peer-small', 'peer-large', 'peer-tiny']);
    const price = { model: 'peer-small', input: 1.5, cachedInput: null, output: 6 };
    expect(kept.prices).toEqual([price]);
    await chooseFromMenu(page, 'Peers', 'History');
    await page.getByText('peer-small: Input 1.5, Output 6').waitFor();
    await page.keyboard.press('Escape');
    await dialogIsGone(page);

    // The key belongs to the address for which it was entered.
    await chooseFromMenu(page, 'Peers', 'Edit connection');
    await field(page, 'baseUrl').fill('https://models.example.com/v1');
    await dialog(page).getByText('was entered for another provider or URL').waitFor();
    await press(dialog(page), 'Save changes');
    await dialogIsGone(page);
    await card(page, 'Peers').getByText('Enter the API key again').waitFor();

    await chooseFromMenu(page, 'Peers', 'Delete connection');
    await press(page, 'Delete connection');
    await toast(page, 'Connection deleted');
    await page.getByText('No connections yet').waitFor();
    await press(page, 'Undo');
    await card(page, 'Peers').waitFor();
  });
});

describe('the credits of a model', () => {
  it('are shown before the click, on each page that starts work', async () => {
    const { page, id: connectionId } = await connected(['dear-1']);
    const made = await page.request.post('/api/agents', {
      data: { ...agentInput, model: { connectionId } },
    });
    const { id } = await made.json();
    await page.goto('/agents');
    await chooseFromMenu(page, agentInput.name, /Edit/);
    await dialog(page)
      .getByText(/^Costs 40 credits for each task/)
      .waitFor();
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    await chooseFromMenu(page, agentInput.name, 'Start Session');
    await page.waitForURL(`**/autonomous?start=${id}`);
    await field(page, 'maxSteps').fill('4');
    await page.getByText('This session costs at most 160 credits.').waitFor();
    await goInside(page, `/agents/${id}/execute`);
    await page.getByLabel('Instructions').fill('Hi');
    await press(page, 'Execute Task (40 credits)');
    await press(page, 'Retry (40 credits)');
    await expect
      .poll(async () => (await page.request.get('/api/organization')).json())
      .toMatchObject({ creditBalance: 20 });
    await page.getByRole('link', { name: 'Billing' }).first().click();
    await page.getByText('dear-*').waitFor();
    await expectAccessible(page);
    await page.goBack();
    await page.getByText('This task needs 40, and you have 20.').waitFor();
  });
});
