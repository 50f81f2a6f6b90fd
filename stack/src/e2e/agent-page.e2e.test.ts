import { getAgentHistory } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { agentInput, agentWithArticle, registerOrganization } from '@tallyhand/test-kit/api-client';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openSuite, pageOf } from './browser.ts';
import { chooseFromMenu, press, toast } from './steps.ts';

const { product, browser } = await openSuite();

describe('the page of an agent', () => {
  it('is reached from its card, shows what it did and cost, and duplicates and deletes it', async () => {
    const { client } = await registerOrganization(product.url);
    const { agent, article } = await agentWithArticle(client);
    const question = 'How long can items be returned?';
    const params = { id: agent.id };
    await client.call(executeTask, { params, body: { input: question } });
    const page = await pageOf(client, product.url, browser);

    await page.goto('/agents');
    const card = page.getByRole('article', { name: 'Support' });
    await card.getByText('1 article').waitFor();
    await card.getByText('1 credit in 30 days').waitFor();
    await card.getByRole('link', { name: 'Support' }).click();
    await page.getByRole('heading', { name: 'Support', level: 1 }).waitFor();
    await page.getByText('100%', { exact: true }).waitFor();
    await page.getByText('of 1 finished task').waitFor();
    await page.getByRole('link', { name: article.title, exact: true }).waitFor();
    await page.getByText(agentInput.personaConfig.personality).last().waitFor();
    await page.getByText('No active API key can run agents.').waitFor();
    await page.getByText('No mailboxes connected.').waitFor();
    await expectAccessible(page);

    // The task leads back to its agent.
    await page.getByRole('link', { name: question }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Support' }).click();
    await page.getByRole('heading', { name: 'Support', level: 1 }).waitFor();

    await chooseFromMenu(page, 'Support', 'Duplicate Agent');
    await page.getByRole('heading', { name: 'Support (copy)', level: 1 }).waitFor();
    await page.getByRole('link', { name: article.title, exact: true }).waitFor();
    await page.getByText('of 0 finished tasks').waitFor();
    const copyId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const history = await page.request.get(pathOf(getAgentHistory, { id: copyId }));
    expect(await history.json()).toMatchObject([{ kind: 'created' }]);

    await chooseFromMenu(page, 'Support (copy)', 'Delete Agent');
    await press(page.getByRole('alertdialog'), 'Delete Agent');
    await page.getByText('Agent Not Found').waitFor();
    await toast(page, 'Agent deleted');
    await press(page, 'Undo');
    await page.getByRole('heading', { name: 'Support (copy)', level: 1 }).waitFor();
  });
});
