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
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { expectAccessible, openBrowser } from './browser.ts';
import { chooseFromMenu, dialog, dialogIsGone, field, press, registered, toast } from './steps.ts';

let product: TestProduct;
let peer: Peer;
const browser = openBrowser();
beforeAll(async () => {
  product = await sharedProduct();
  peer = await openAiPeer((response, { path, authorization, body }) => {
    if (authorization !== 'Bearer the-key') return sendJson(response, 401, { error: {} });
    if (path.endsWith('/models')) {
      const data = ['peer-large', 'peer-tiny'].map((id) => ({ id, object: 'model' }));
      return sendJson(response, 200, { object: 'list', data });
    }
    if (path.endsWith('/embeddings')) {
      return sendJson(response, 200, { data: [{ index: 0, embedding: [1, 0] }] });
    }
    if (body.stream) return new StreamedCompletion(response).say('OK').end();
    return sendJson(response, 200, body.tools ? calling(['say_ok', {}]) : completion('OK'));
  });
});
afterAll(() => peer?.[Symbol.asyncDispose]());

const card = (page: Page, name: string) => page.getByRole('article', { name });

async function modelsPage(): Promise<Page> {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  await page.goto('/settings?tab=models');
  await page.getByRole('link', { name: 'Manage connections' }).click();
  await page.getByText('No connections yet').waitFor();
  return page;
}

async function connected(page: Page, more: object = {}): Promise<string> {
  const body = {
    name: 'Peers',
    provider: 'other',
    baseUrl: peer.baseURL,
    models: ['peer-small'],
    apiKey: 'the-key',
    ...more,
  };
  const made = await page.request.post('/api/connections', { data: body });
  expect(made.status()).toBe(201);
  await card(page, 'Peers').waitFor();
  return (await made.json()).id;
}

describe('the page of models', () => {
  it('adds a connection from the proposal of its provider', async () => {
    const page = await modelsPage();
    await page.getByRole('button', { name: 'Add connection' }).first().click();
    await field(page, 'provider').selectOption({ label: 'Mistral' });
    await expect.poll(() => field(page, 'baseUrl').inputValue()).toBe('https://api.mistral.ai/v1');
    await expect.poll(() => field(page, 'models').inputValue()).toContain('mistral-small-latest');
    await expect.poll(() => field(page, 'embeddingModel').inputValue()).toBe('mistral-embed');
    await expectAccessible(page);
    await page.locator('[name="apiKey"]').fill('a-key-of-mistral');
    await dialog(page).getByRole('button', { name: 'Add connection' }).click();
    await toast(page, 'Connection added');
    await card(page, 'Mistral').getByText('API key stored').waitFor();
    await expectAccessible(page);
  });

  it('tests a connection with real calls, and loads the models of its endpoint', async () => {
    const page = await modelsPage();
    const id = await connected(page);
    await chooseFromMenu(page, 'Peers', 'Test connection');
    await press(page, 'Test');
    await dialog(page).getByText('Works').waitFor();
    await dialog(page).getByText('Supported').first().waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    await chooseFromMenu(page, 'Peers', 'Edit connection');
    await press(page, 'Load from endpoint');
    await dialog(page).getByText('The endpoint has 2 models.').waitFor();
    await press(page, 'Save changes');
    await toast(page, 'Connection updated');
    const kept = await (await page.request.get(`/api/connections/${id}`)).json();
    expect(kept.models).toEqual(['peer-small', 'peer-large', 'peer-tiny']);
  });

  it('chooses the model that finds articles by meaning, and shows its progress', async () => {
    const page = await modelsPage();
    await connected(page, { embeddingModel: 'peer-meaning' });
    const article = { title: 'Opening hours', content: 'Open from nine to five.', category: 'All' };
    expect((await page.request.post('/api/knowledge', { data: article })).status()).toBe(201);
    await page.getByText('No embedding model is in use').waitFor();
    await page.getByLabel('Embedding model').selectOption({ label: 'Peers: peer-meaning' });
    await toast(page, 'Embedding model chosen');
    await page.getByText('1 of 1').waitFor();
    await page.getByText(/^peer-meaning · About \d+ tokens/).waitFor();
    await expectAccessible(page);
  });

  it('says that the key must be entered again for another address', async () => {
    const page = await modelsPage();
    await connected(page);
    await chooseFromMenu(page, 'Peers', 'Edit connection');
    await field(page, 'baseUrl').fill('https://models.example.com/v1');
    await dialog(page).getByText('was entered for another provider or URL').waitFor();
    await press(page, 'Save changes');
    await toast(page, 'Connection updated');
    await card(page, 'Peers').getByText('Enter the API key again').waitFor();
  });

  it('offers its models to agents, which answer with theirs', async () => {
    const page = await modelsPage();
    await connected(page, { models: ['peer-small', 'peer-large'] });
    const made = await page.request.post('/api/agents', { data: agentInput });
    const { id } = await made.json();
    await page.goto('/agents');
    await chooseFromMenu(page, agentInput.name, /Edit/);
    await field(page, 'model').selectOption({ label: 'Peers · peer-large' });
    await field(page, 'fallback').selectOption({ label: 'Built-in engine (no model)' });
    await field(page, 'temperature').fill('0.2');
    await expectAccessible(page);
    await dialog(page)
      .getByRole('button', { name: /^(Save|Update)/ })
      .click();
    await dialogIsGone(page);
    const agent = await (await page.request.get(`/api/agents/${id}`)).json();
    expect(agent.model).toMatchObject({
      model: 'peer-large',
      temperature: 0.2,
      fallback: { connectionId: null },
    });
    const answer = await page.request.post(`/api/agents/${id}/execute`, { data: { input: 'Hi' } });
    const { output, taskId } = await answer.json();
    expect(output).toBe('OK');
    expect(peer.received.at(-1)?.body).toMatchObject({ model: 'peer-large', temperature: 0.2 });
    await page.goto(`/tasks?task=${taskId}`);
    await page.getByRole('tab', { name: 'Metadata' }).click();
    await page.getByText('no price known').waitFor();
    await page.goto('/billing?tab=usage');
    const models = page.getByRole('list', { name: 'Models', exact: true });
    await models.getByText('peer-large').waitFor();
    await expectAccessible(page);
  });

  it('keeps prices of its own for its models', async () => {
    const page = await modelsPage();
    const id = await connected(page);
    await chooseFromMenu(page, 'Peers', 'Edit connection');
    await press(dialog(page), 'Add price');
    await dialog(page).getByLabel('Input: peer-small', { exact: true }).fill('cheap');
    await dialog(page).getByLabel('Output: peer-small').fill('6');
    await press(dialog(page), 'Save changes');
    await dialog(page).getByText('Enter dollars, such as 1.25').waitFor();
    await expectAccessible(page);
    await dialog(page).getByLabel('Input: peer-small', { exact: true }).fill('1,5');
    await press(dialog(page), 'Save changes');
    await dialogIsGone(page);
    const kept = await (await page.request.get(`/api/connections/${id}`)).json();
    const price = { model: 'peer-small', input: 1.5, cachedInput: null, output: 6 };
    expect(kept.prices).toEqual([price]);
    await chooseFromMenu(page, 'Peers', 'History');
    await page.getByText('peer-small: Input 1.5, Output 6').waitFor();
  });

  it('offers a model server of this computer, and connects it with one click', async () => {
    const page = await modelsPage();
    // The product of tests has many organizations, and looks for none.
    const server = {
      provider: 'ollama',
      baseUrl: 'http://127.0.0.1:11434/v1',
      models: ['llama3.2:latest'],
      embeddingModel: null,
    };
    await page.route('**/api/local-model-servers', (route) => route.fulfill({ json: [server] }));
    await page.reload();
    await page.getByRole('heading', { name: 'Ollama is running on this computer' }).waitFor();
    await expectAccessible(page);
    await press(page, 'Connect Ollama');
    await toast(page, 'Ollama connected');
    await card(page, 'Ollama').getByText('Default: llama3.2:latest').waitFor();
    await page.getByText('Ollama is running on this computer').waitFor({ state: 'detached' });
    const [kept] = await (await page.request.get('/api/connections')).json();
    expect(kept).toMatchObject({ ...server, name: 'Ollama', apiKey: 'none' });
  });

  it('shows the credits of a model before the click', async () => {
    const page = await modelsPage();
    const connectionId = await connected(page, { models: ['dear-1'] });
    const made = await page.request.post('/api/agents', {
      data: { ...agentInput, model: { connectionId } },
    });
    const { id } = await made.json();
    await page.goto('/agents');
    await chooseFromMenu(page, agentInput.name, /Edit/);
    await dialog(page)
      .getByText(/^Costs 40 credits for each task/)
      .waitFor();
    await page.goto(`/autonomous?start=${id}`);
    await field(page, 'maxSteps').fill('4');
    await page.getByText('This session costs at most 160 credits.').waitFor();
    await page.goto(`/agents/${id}/execute`);
    await page.getByLabel('Instructions').fill('Hi');
    await press(page, 'Execute Task (40 credits)');
    await press(page, 'Retry (40 credits)');
    await expect
      .poll(async () => (await page.request.get('/api/organization')).json())
      .toMatchObject({ creditBalance: 20 });
    await page.reload();
    await page.getByText('This task needs 40, and you have 20.').waitFor();
    await page.goto('/billing');
    await page.getByText('dear-*').waitFor();
    await expectAccessible(page);
  });

  it('deletes a connection, and takes that back', async () => {
    const page = await modelsPage();
    await connected(page);
    await chooseFromMenu(page, 'Peers', 'Delete connection');
    await press(page, 'Delete connection');
    await toast(page, 'Connection deleted');
    await page.getByText('No connections yet').waitFor();
    await press(page, 'Undo');
    await card(page, 'Peers').waitFor();
  });
});
