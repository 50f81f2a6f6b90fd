import {
  listAgentSummaries,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openSuite, pageOf } from './browser.ts';
import { dialog, dialogIsGone, goInside, password, press, someone, toast } from './steps.ts';

const { product, browser } = await openSuite();

type Client = Awaited<ReturnType<typeof registerOrganization>>['client'];

const main = (page: Page) => page.getByRole('main');
const firstQuestion = (page: Page) =>
  dialog(page).getByRole('link', { name: 'Ask the first question' });

/** How many articles, playbooks, tools and agents there are. */
const counts = async (page: Page) =>
  Promise.all(
    ['knowledge', 'playbooks', 'tools', 'agents'].map(async (kind) => {
      const answer = await page.request.get(`/api/${kind}`);
      return ((await answer.json()) as unknown[]).length;
    }),
  );

/** Signs the page's browser in as another member of the organization. */
async function join(page: Page, client: Client, role: string) {
  await page.context().clearCookies();
  const email = someone();
  const invited = await client.call<{ token: string }>(issueInvitation, { body: { email, role } });
  const data = { email, username: 'Kim Marlow', password, invite: invited.body.token };
  expect((await page.request.post('/api/register', { data })).status()).toBe(201);
}

describe('the sample data', () => {
  it('is added by one click, answers the first question, and is removed by another member', async () => {
    const { client } = await registerOrganization(product.url);
    const page = await pageOf(client, product.url, browser);
    await page.goto('/dashboard');
    await main(page).getByRole('link', { name: 'Try with sample data' }).click();
    await firstQuestion(page).waitFor();
    await expectAccessible(page);
    await expect.poll(() => counts(page)).toEqual([2, 1, 1, 1]);
    const [agent] = await (await page.request.get(listAgents.path)).json();
    const summaries = await page.request.get(`${listAgentSummaries.path}?ids=${agent.id}`);
    expect((await summaries.json())[0]).toMatchObject({
      articles: [{}, {}],
      playbooks: [{}],
      tools: [{ name: 'Delivery date' }],
      credits: { total: 0 },
    });
    await firstQuestion(page).click();
    await page.waitForURL('**/execute');
    await press(main(page), /^Execute Task/);
    const completed = main(page).getByRole('region', { name: 'Completed' });
    await completed
      .getByText(/within 30 days of delivery/)
      .first()
      .waitFor();
    await completed
      .getByText(/Returns and refunds/)
      .first()
      .waitFor();

    // In a browser that has nothing of the first one.
    const other = await browser.newPage(product.url);
    await join(other, client, 'Editor');
    await other.goto('/settings');
    await press(main(other), 'Remove sample data');
    const going = dialog(other).getByRole('list', { name: 'Will be removed' });
    await going.getByText('Customer support').waitFor();
    await expect.poll(() => going.getByRole('listitem').count()).toBe(5);
    await expectAccessible(other);
    await press(dialog(other), 'Remove');
    await toast(other, 'Sample data removed');
    await dialogIsGone(other);
    await expect.poll(() => counts(other)).toEqual([0, 0, 0, 0]);
    await goInside(other, '/dashboard');
    await main(other).getByRole('link', { name: 'Try with sample data' }).waitFor();
    await page.goBack();
    await dialog(page)
      .getByRole('button', { name: /^Customer support/ })
      .waitFor();
    await expect.poll(() => counts(page)).toEqual([0, 0, 0, 0]);
  });

  it('says that a call was refused, completes at the next click, and keeps what a member has changed', async () => {
    const { client } = await registerOrganization(product.url);
    const page = await pageOf(client, product.url, browser);
    let refusals = 1;
    await page.route('**/api/tools', async (route) => {
      const isRefused = route.request().method() === 'POST' && refusals-- > 0;
      const problem = { status: 429, code: 'too-many-requests', title: 'Slow down' };
      if (isRefused) await route.fulfill({ status: 429, json: problem });
      else await route.continue();
    });
    await page.goto('/settings');
    await press(main(page), 'Try with sample data');
    await dialog(page).getByText('Not everything was added').waitFor();
    await expectAccessible(page);
    await press(dialog(page), 'Try again');
    await firstQuestion(page).waitFor();
    await expect.poll(() => counts(page)).toEqual([2, 1, 1, 1]);
    await press(dialog(page), 'Not now');

    const [playbook] = (await (await page.request.get('/api/playbooks')).json()) as {
      id: string;
    }[];
    const data = { title: 'Our returns' };
    expect((await page.request.put(`/api/playbooks/${playbook?.id}`, { data })).ok()).toBe(true);
    await press(main(page), 'Remove sample data');
    const staying = dialog(page).getByRole('list', { name: 'Stays because it was changed' });
    await staying.getByText('Our returns').waitFor();
    await press(dialog(page), 'Remove');
    await dialogIsGone(page);
    await expect.poll(() => counts(page)).toEqual([0, 1, 0, 0]);
  });

  it('is not offered to the roles AgentManager and Viewer', async () => {
    const { client } = await registerOrganization(product.url);
    const page = await browser.newPage(product.url);
    for (const role of ['AgentManager', 'Viewer'] as const) {
      await join(page, client, role);
      await page.goto('/settings');
      await main(page).getByRole('button', { name: 'Save' }).waitFor();
      await expect
        .poll(() => main(page).getByRole('heading', { name: 'Sample data' }).count())
        .toBe(0);
    }
  });
});
