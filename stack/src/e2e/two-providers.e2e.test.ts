import {
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { openBrowser } from './browser.ts';
import { chooseFromMenu, dialog, dialogIsGone, field, press, registered, toast } from './steps.ts';

/** Texts are close to each other if they have the same subject, in whatever words and language. */
const SUBJECTS = [/kayak|paddle|カヤック/i, /refund|返金/i];
const vectorOf = (text: string) => [
  -0.1,
  ...SUBJECTS.map((subject) => (subject.test(text) ? 1 : -0.2)),
];

let product: TestProduct;
let ollama: Peer;
let hosted: Peer;
const browser = openBrowser();

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
      return sendJson(response, 200, { data, usage: { prompt_tokens: 10 * input.length } });
    }
    const answer = { answer: `Ten euros, says ${body.model}.`, usedPassages: [1] };
    const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
    return sendJson(response, 200, { ...completion(answer), usage });
  });

beforeAll(async () => {
  product = await sharedProduct();
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

/** A new agent whose model is chosen in its form. */
async function agentWith(page: Page, name: string, model: string): Promise<string> {
  const made = await page.request.post('/api/agents', { data: { ...agentInput, name } });
  await page.goto('/agents');
  await chooseFromMenu(page, name, /Edit/);
  await field(page, 'model').selectOption({ label: model });
  await press(dialog(page), 'Save Changes');
  await dialogIsGone(page);
  await page.getByRole('article', { name }).getByText(`Model: ${model}`).waitFor();
  return (await made.json()).id;
}

/** Runs a task by the page, and opens it. */
async function execute(page: Page, agentId: string, input: string) {
  await page.goto(`/agents/${agentId}/execute`);
  await page.getByLabel('Instructions').fill(input);
  await press(page, 'Execute Task (1 credit)');
  await page.getByRole('link', { name: 'View task' }).click();
}

const costOf = async (page: Page, text: RegExp) => {
  await page.getByRole('tab', { name: 'Metadata' }).click();
  await page.getByText(text).waitFor();
};

describe('two providers', () => {
  it('are connected by an Admin, answer for an agent each, and show what each task cost', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
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
    await page.getByLabel('Embedding model').selectOption({ label: 'Ollama: nomic-embed-text' });
    await page.getByText('1 of 1').waitFor();

    const own = await agentWith(page, 'Own model', 'Ollama · llama3.2');
    const priced = await agentWith(page, 'Hosted model', 'OpenAI · gpt-4o-mini');
    const unpriced = await agentWith(page, 'Unlisted model', 'OpenAI · unlisted-model');

    // A Japanese question finds the passage of the English article.
    await execute(page, own, 'カヤックはいくらですか');
    await page.getByText('Ten euros, says llama3.2.').waitFor();
    await page
      .getByRole('link', { name: /Rental/ })
      .first()
      .waitFor();
    const asked = JSON.stringify(ollama.received.at(-1)?.body.messages);
    expect(asked.indexOf('A kayak costs')).toBeGreaterThan(-1);
    await costOf(page, /1,000 tokens in, 100 out · \$0\.00/);

    await execute(page, priced, 'What does a kayak cost?');
    await page.getByText('Ten euros, says gpt-4o-mini.').waitFor();
    await costOf(page, /1,000 tokens in, 100 out · \$0\.00021/);
    await execute(page, unpriced, 'What does a kayak cost?');
    await costOf(page, /1,000 tokens in, 100 out · no price known/);

    await page.goto(`/agents/${priced}`);
    await page.getByText('in the last 30 days; in total: $0.00021').waitFor();
    await page.getByText('OpenAI · gpt-4o-mini').waitFor();
    await page.goto(`/agents/${unpriced}`);
    await page.getByText('in the last 30 days; in total: no price known').waitFor();
    await page.goto('/billing?tab=usage');
    const models = page.getByRole('list', { name: 'Models', exact: true });
    await models.getByText('$0.00021').waitFor();
    await models
      .getByRole('listitem')
      .filter({ hasText: 'unlisted-model' })
      .getByText('no price known')
      .waitFor();
  });
});
