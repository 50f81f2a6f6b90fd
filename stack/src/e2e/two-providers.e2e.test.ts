import {
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import { chooseFromMenu, dialog, dialogIsGone, field, press, registered, toast } from './steps.ts';

/** Texts are close to each other if they have the same subject, in whatever words and language. */
const SUBJECTS = [/kayak|paddle|カヤック/i, /refund|返金/i];
const vectorOf = (text: string) => [
  -0.1,
  ...SUBJECTS.map((subject) => (subject.test(text) ? 1 : -0.2)),
];

const { product, browser } = await openSuite();
let ollama: Peer;
let hosted: Peer;

/** An endpoint with these models; the first answers, the last embeds. */
const endpointWith = (models: readonly string[], key: string | undefined) =>
  openAiPeer((response, { path, authorization, body }) => {
    if (key !== undefined && authorization !== `Bearer ${key}`) {
      return sendJson(response, 401, { error: {} });
    }
    if (path.endsWith('/models')) {
      return sendJson(response, 200, { object: 'list', data: models.map((id) => ({ id })) });
    }
    if (path.endsWith('/embeddings')) {
      const { input } = body as unknown as { input: string[] };
      const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
      return sendJson(response, 200, { data });
    }
    const answer = { answer: `Ten euros, says ${body.model}.`, usedPassages: [1] };
    const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
    return sendJson(response, 200, { ...completion(answer), usage });
  });

beforeAll(async () => {
  ollama = await endpointWith(['llama3.2', 'nomic-embed-text'], undefined);
  hosted = await endpointWith(['gpt-4o-mini', 'unlisted-model'], 'the-key');
});
afterAll(async () => {
  await ollama?.[Symbol.asyncDispose]();
  await hosted?.[Symbol.asyncDispose]();
});

type Entered = {
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly embeddingModel?: string;
  readonly found: string;
};

/** Connects an endpoint by the form, with the models that it lists. */
async function connect(page: Page, entered: Entered) {
  await page.getByRole('button', { name: 'Add connection' }).first().click();
  await field(page, 'provider').selectOption({ label: entered.provider });
  await field(page, 'baseUrl').fill(entered.baseUrl);
  await field(page, 'models').fill('');
  await field(page, 'embeddingModel').fill(entered.embeddingModel ?? '');
  if (entered.apiKey) {
    await press(page, 'Load from endpoint');
    await dialog(page).getByText('rejected the API key').waitFor();
    await page.locator('[name="apiKey"]').fill(entered.apiKey);
  }
  await press(page, 'Load from endpoint');
  await dialog(page).getByText('The endpoint has 2 models.').waitFor();
  await expect.poll(() => field(page, 'models').inputValue()).toBe(entered.found);
  await dialog(page).getByRole('button', { name: 'Add connection' }).click();
  await toast(page, 'Connection added');
  await page.getByRole('article', { name: entered.provider }).waitFor();
}

/** An agent with this model. */
async function agentWith(page: Page, name: string, model: object | null): Promise<string> {
  const made = await page.request.post('/api/agents', { data: { ...agentInput, name, model } });
  expect(made.status()).toBe(201);
  return (await made.json()).id;
}

const execute = async (page: Page, id: string, input: string) =>
  (await (await page.request.post(`/api/agents/${id}/execute`, { data: { input } })).json()).output;

const costOf = async (page: Page, text: RegExp) => {
  await dialog(page).getByRole('tab', { name: 'Metadata' }).click();
  await dialog(page).getByText(text).waitFor();
};

/** From the list of tasks: what the task of this agent cost, and then the agent's page. */
async function followTask(page: Page, agent: string, cost: RegExp) {
  await press(page, `View task of ${agent}`);
  await costOf(page, cost);
  await dialog(page).getByRole('link', { name: agent }).click();
  await page.getByRole('heading', { name: agent, level: 1 }).waitFor();
}

/** Adds the endpoints, and chooses the model that finds articles by meaning. */
async function connectBoth(page: Page) {
  await page.goto('/settings/models');
  await connect(page, {
    provider: 'Ollama',
    baseUrl: ollama.baseURL,
    embeddingModel: 'nomic-embed-text',
    found: 'llama3.2\nnomic-embed-text',
  });
  await connect(page, {
    provider: 'OpenAI',
    baseUrl: hosted.baseURL,
    apiKey: 'the-key',
    found: 'gpt-4o-mini\nunlisted-model',
  });
  expect(hosted.received.map(({ path }) => path)).toEqual(['/v1/models', '/v1/models']);
  const article = {
    title: 'Rental',
    content: '# Boats\n\nA kayak costs ten euros.\n\n# Money\n\nA refund takes three days.',
    category: 'All',
    isPublic: true,
  };
  expect((await page.request.post('/api/knowledge', { data: article })).status()).toBe(201);
  await page.getByText('No embedding model is in use').waitFor();
  await page.getByLabel('Embedding model').selectOption({ label: 'Ollama: nomic-embed-text' });
  await toast(page, 'Embedding model chosen');
  await page.getByText('1 of 1').waitFor();
  await page.getByText(/^nomic-embed-text · About \d+ tokens/).waitFor();
  await expectAccessible(page);
}

/** Chooses the model of an agent, its fallback and its options in the agent's form. */
async function chooseModel(page: Page, name: string, id: string, connectionId: string) {
  await chooseFromMenu(page, name, /Edit/);
  await field(page, 'model').selectOption({ label: 'OpenAI · unlisted-model' });
  await field(page, 'fallback').selectOption({ label: 'Built-in engine (no model)' });
  await field(page, 'temperature').fill('0.2');
  await expectAccessible(page);
  await press(dialog(page), 'Save Changes');
  await dialogIsGone(page);
  await page.getByRole('article', { name }).getByText('Model: OpenAI · unlisted-model').waitFor();
  const { model } = await (await page.request.get(`/api/agents/${id}`)).json();
  expect(model).toMatchObject({
    connectionId,
    model: 'unlisted-model',
    temperature: 0.2,
    fallback: { connectionId: null },
  });
}

describe('two providers', () => {
  it('are connected by an Admin, answer for an agent each, and show what each task cost', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    await connectBoth(page);
    const all: { id: string; name: string }[] = await (
      await page.request.get('/api/connections')
    ).json();
    const idOf = (provider: string) =>
      all.find(({ name }) => name === provider)?.id ?? expect.fail(`There is no ${provider}`);
    const connectionId = idOf('OpenAI');
    await agentWith(page, 'Own model', { connectionId: idOf('Ollama'), model: 'llama3.2' });
    const priced = await agentWith(page, 'Hosted model', { connectionId, model: 'gpt-4o-mini' });
    const unpriced = await agentWith(page, 'Unlisted model', null);
    await page.getByRole('link', { name: 'AI Agents' }).click();
    await chooseModel(page, 'Unlisted model', unpriced, connectionId);
    for (const [name, model] of [
      ['Own model', 'Ollama · llama3.2'],
      ['Hosted model', 'OpenAI · gpt-4o-mini'],
    ] as const) {
      await page.getByRole('article', { name }).getByText(`Model: ${model}`).waitFor();
    }

    const question = 'What does a kayak cost?';
    expect(await execute(page, priced, question)).toContain('Ten euros, says gpt-4o-mini.');
    expect(await execute(page, unpriced, question)).toContain('Ten euros, says unlisted-model.');
    const chosen = { model: 'unlisted-model', temperature: 0.2 };
    expect(hosted.received.at(-1)?.body).toMatchObject(chosen);
    // A Japanese question finds the passage of the English article.
    await chooseFromMenu(page, 'Own model', 'Execute Task (1 credit)');
    await field(page, 'input').fill('カヤックはいくらですか');
    await press(dialog(page), 'Execute Task (1 credit)');
    await dialog(page).getByRole('link', { name: 'View task' }).click();
    await page.waitForURL('**/tasks?task=*');
    await dialog(page).getByText('Ten euros, says llama3.2.').waitFor();
    await dialog(page)
      .getByRole('link', { name: /Rental/ })
      .first()
      .waitFor();
    const asked = ollama.received.at(-1)?.body;
    expect(asked).toMatchObject({ model: 'llama3.2' });
    expect(JSON.stringify(asked?.messages).indexOf('A kayak costs')).toBeGreaterThan(-1);
    await costOf(page, /1,000 tokens in, 100 out · \$0\.00/);
    await press(dialog(page), 'Close');
    await dialogIsGone(page);

    await followTask(page, 'Hosted model', /1,000 tokens in, 100 out · \$0\.00021/);
    await page.getByText('in the last 30 days; in total: $0.00021').waitFor();
    await page.getByText('OpenAI · gpt-4o-mini').waitFor();
    await page.getByRole('link', { name: 'Tasks' }).first().click();
    await followTask(page, 'Unlisted model', /1,000 tokens in, 100 out · no price known/);
    await page.getByText('in the last 30 days; in total: no price known').waitFor();

    await page.getByRole('link', { name: 'Billing' }).first().click();
    await page.getByRole('tab', { name: 'Usage' }).click();
    const models = page.getByRole('list', { name: 'Models', exact: true });
    await models.getByText('$0.00021').waitFor();
    await models
      .getByRole('listitem')
      .filter({ hasText: 'unlisted-model' })
      .getByText('no price known')
      .waitFor();
    await expectAccessible(page);
  });
});
