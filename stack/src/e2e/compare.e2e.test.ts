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
import { expectAccessible, openBrowser } from './browser.ts';
import { chooseFromMenu, dialog, dialogIsGone, field, press, registered, toast } from './steps.ts';

/** Models called `dear-*` cost 40 credits in the shared product. */
let product: TestProduct;
let peer: Peer;
const browser = openBrowser();
beforeAll(async () => {
  product = await sharedProduct();
  peer = await openAiPeer((response, { body }) =>
    sendJson(response, 200, completion({ answer: `${body.model} answers.` })),
  );
});
afterAll(() => peer?.[Symbol.asyncDispose]());

/** An agent with two versions, which answers with the model `plain`. */
async function agentWithVersions() {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const send = async (method: 'post' | 'put', path: string, data: object) => {
    const answer = await page.request[method](path, { data });
    expect(answer.ok()).toBe(true);
    return (await answer.json()).id;
  };
  const connectionId = await send('post', '/api/connections', {
    name: 'Peers',
    provider: 'other',
    baseUrl: peer.baseURL,
    models: ['plain', 'dear-1', 'dear-2', 'dear-3'],
    apiKey: 'the-key',
  });
  const model = { connectionId, model: 'plain' };
  const id = await send('post', '/api/agents', { ...agentInput, model });
  await send('put', `/api/agents/${id}`, { description: 'Answers in a hurry and in short' });
  return { page, id };
}

const choose = (page: Page, answer: string, label: 'Version' | 'Model', option: string) =>
  page.getByRole('group', { name: answer }).getByLabel(label).selectOption({ label: option });
const answer = (page: Page, name: string) => page.getByRole('article', { name, exact: true });

describe('the comparison of versions and models', () => {
  it('shows its price, the answers beside each other, and takes one over', async () => {
    const { page, id } = await agentWithVersions();
    await page.goto(`/agents/${id}`);
    await chooseFromMenu(page, agentInput.name, 'Compare');
    await page.getByText('No comparisons yet.').waitFor();
    await press(page, 'Add answer');
    await page.getByText('Each answer needs another version or model').waitFor();
    await choose(page, 'Answer 3', 'Model', 'Peers · dear-1');
    await press(page, 'Add answer');
    await choose(page, 'Answer 4', 'Model', 'Peers · dear-2');
    await choose(page, 'Answer 2', 'Model', 'Peers · dear-3');
    await page.getByText('This comparison needs 121, and you have 100.').waitFor();
    await press(page, 'Remove answer 4');
    await choose(page, 'Answer 2', 'Model', 'Model of the version');
    await expectAccessible(page);
    await field(page, 'input').fill('Is it open?');
    await press(page, 'Compare (42 credits)');
    await answer(page, 'Version 1 · Peers · plain').getByText('plain answers.').waitFor();
    await answer(page, 'Version 2 · Peers · plain').getByText('plain answers.').waitFor();
    const dear = answer(page, 'Version 2 · Peers · dear-1');
    await dear.getByText('dear-1 answers.').waitFor();
    await dear.getByText('40', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.reload();
    await dear.getByText('dear-1 answers.').waitFor();
    await answer(page, 'Version 1 · Peers · plain')
      .getByRole('button', { name: 'Use this one' })
      .click();
    await dialog(page).getByText('Answers in a hurry and in short').waitFor();
    await dialog(page).getByText(agentInput.description).waitFor();
    await expectAccessible(page);
    await press(dialog(page), 'Change agent');
    await toast(page, 'Agent updated');
    await dialogIsGone(page);
    const { description, version } = await (await page.request.get(`/api/agents/${id}`)).json();
    expect([description, version]).toEqual([agentInput.description, 3]);
    await dear.getByRole('link', { name: 'View task' }).click();
    await dialog(page).getByRole('tab', { name: 'Metadata' }).click();
    await dialog(page).getByRole('link', { name: 'Show all answers' }).click();
    await dear.getByText('dear-1 answers.').waitFor();
  });
});
