import { listArticles } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import type { Locator, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openSuite, pageOf } from './browser.ts';
import { dialog, dialogIsGone, field, password, press, registered, someone } from './steps.ts';

const { product, browser } = await openSuite();

const main = (page: Page) => page.getByRole('main');
const completed = (page: Page) => main(page).getByRole('region', { name: 'Completed' });

/** An Admin of an organization without any content. */
async function newcomer(path: string) {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  await page.goto(path);
  return page;
}

/** Puts the focus on a control by the Tab key, as a user without a mouse does. */
async function tabTo(page: Page, control: Locator) {
  await control.waitFor();
  for (let presses = 0; presses < 40; presses++) {
    if ((await control.and(page.locator(':focus')).count()) === 1) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('The Tab key does not lead there');
}

describe('the first hour', () => {
  it('leads from an empty dashboard to an answer from its article in five clicks', async () => {
    const page = await newcomer('/dashboard');
    let clicks = 0;
    const click = async (control: Locator) => {
      await control.click();
      clicks += 1;
    };
    await click(main(page).getByRole('link', { name: 'Start from a template' }));
    await dialog(page)
      .getByRole('button', { name: /^Customer support/ })
      .waitFor();
    await expectAccessible(page);
    await click(dialog(page).getByRole('button', { name: /^Customer support/ }));
    await field(page, 'article.content').waitFor();
    await expectAccessible(page);
    await click(dialog(page).getByRole('button', { name: 'Create Agent' }));
    await dialog(page).getByText('How many days do customers have').waitFor();
    await expectAccessible(page);
    await click(dialog(page).getByRole('link', { name: 'Ask the first question' }));
    await page.waitForURL('**/execute');
    await click(main(page).getByRole('button', { name: /^Execute Task/ }));
    await completed(page)
      .getByText(/within 30 days of delivery/)
      .first()
      .waitFor();
    await completed(page)
      .getByText(/Returns and refunds/)
      .first()
      .waitFor();
    expect(clicks).toBe(5);
    await page.goto('/dashboard');
    await main(page).getByText('4 of 5 done').waitFor();
  });

  it('works by the keyboard alone, and keeps what was changed in the form', async () => {
    const page = await newcomer('/agents');
    const start = main(page).getByRole('link', { name: 'Start from a template' });
    await tabTo(page, start);
    await page.keyboard.press('Enter');
    await tabTo(page, dialog(page).getByRole('button', { name: /^Operations coordinator/ }));
    await page.keyboard.press('Enter');
    await field(page, 'name').fill('Night shift');
    const content = field(page, 'article.content');
    await content.fill((await content.inputValue()).replace('15 minutes', '7 minutes'));
    await field(page, 'article.title').fill('Our incidents');
    await page.keyboard.press('Enter');
    const ask = dialog(page).getByRole('link', { name: 'Ask the first question' });
    await tabTo(page, ask);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/execute');
    await tabTo(page, main(page).getByRole('button', { name: /^Execute Task/ }));
    await page.keyboard.press('Enter');
    await completed(page)
      .getByText(/within 7 minutes/)
      .first()
      .waitFor();
    await main(page)
      .getByText(/Night shift/)
      .first()
      .waitFor();
  });

  it('writes the article once, although the agent is refused at first', async () => {
    const { client } = await registerOrganization(product.url);
    const page = await pageOf(client, product.url, browser);
    let refusals = 1;
    await page.route('**/api/agents', async (route) => {
      const isRefused = route.request().method() === 'POST' && refusals-- > 0;
      const problem = { status: 429, code: 'too-many-requests', title: 'Slow down' };
      if (isRefused) await route.fulfill({ status: 429, json: problem });
      else await route.continue();
    });
    await page.goto('/agents?new=data');
    await press(dialog(page), 'Create Agent');
    await page.locator('ol > li', { hasText: 'Failed to create agent' }).waitFor();
    await field(page, 'article.title').fill('Our metrics');
    await press(dialog(page), 'Create Agent');
    await dialog(page)
      .getByText(/answers from “Our metrics”/)
      .waitFor();
    const { body } = await client.call<{ title: string }[]>(listArticles);
    expect(body.map(({ title }) => title)).toEqual(['Our metrics']);
  });

  it('leads from the empty form to the templates and back', async () => {
    const page = await newcomer('/agents');
    await press(main(page), 'Create Agent');
    await press(dialog(page), 'Start from a template');
    await press(dialog(page), 'Start from scratch');
    await dialog(page).getByRole('heading', { name: 'Create Agent' }).waitFor();
    await expect.poll(() => field(page, 'name').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    expect(new URL(page.url()).search).toBe('');
  });

  it('gives an Agent Manager the agent, and says who adds its article', async () => {
    const { client } = await registerOrganization(product.url);
    const email = someone();
    const { body } = await client.call<{ token: string }>(issueInvitation, {
      body: { email, role: 'AgentManager' },
    });
    const page = await browser.newPage(product.url);
    const person = { email, username: 'Kim Marlow', password };
    const data = { ...person, invite: body.token };
    expect((await page.request.post('/api/register', { data })).status()).toBe(201);
    await page.goto('/agents?new=support');
    // An area that the template has, in other letters, is not offered again.
    await page.getByRole('button', { name: '+ Sales', exact: true }).waitFor();
    const again = page.getByRole('button', { name: '+ Customer Support', exact: true });
    await expect.poll(() => again.count()).toBe(0);
    await dialog(page).getByText('Your role can’t add articles.').waitFor();
    await press(dialog(page), 'Create Agent');
    await dialogIsGone(page);
    await page.getByRole('article', { name: 'Customer support' }).waitFor();
  });
});

/** The action of the page's empty state. */
const actionOf = (page: Page, title: string) =>
  main(page)
    .locator('div')
    .filter({ has: page.getByRole('heading', { name: title }) })
    .last()
    .locator('button, a');

const EMPTY = [
  ['/tools', 'No tools yet', 'Add Tool'],
  ['/knowledge', 'No articles yet', 'Add Article'],
  ['/knowledge?tab=playbooks', 'No playbooks yet', 'Create Playbook'],
  ['/autonomous', 'No autonomous sessions yet.', 'Start New Session'],
  ['/billing?tab=limits', 'No limits yet', 'Add limit'],
] as const;

describe('an empty page', () => {
  it.each(EMPTY)('%s leads to its first entry', async (path, title, action) => {
    const page = await newcomer(path);
    const button = actionOf(page, title);
    await button.waitFor();
    await expect.poll(() => button.innerText()).toBe(action);
    // The header has none of the same name meanwhile.
    const same = main(page).getByRole('button', { name: action, exact: true });
    await expect.poll(() => same.count()).toBe(1);
    await button.click();
    await dialog(page).waitFor();
  });

  it('/support leads to the form of a first ticket', async () => {
    const page = await newcomer('/support');
    await actionOf(page, 'No tickets yet').waitFor();
    const same = main(page).getByRole('link', { name: 'New ticket', exact: true });
    await expect.poll(() => same.count()).toBe(1);
    await actionOf(page, 'No tickets yet').click();
    await field(page, 'subject').waitFor();
  });

  it.each(EMPTY.slice(0, 3))('%s offers a Viewer nothing to create', async (path, title) => {
    const { client } = await registerOrganization(product.url);
    const email = someone();
    const body = { email, role: 'Viewer' };
    const invited = await client.call<{ token: string }>(issueInvitation, { body });
    const page = await browser.newPage(product.url);
    const data = { email, username: 'Ada Quint', password, invite: invited.body.token };
    expect((await page.request.post('/api/register', { data })).status()).toBe(201);
    await page.goto(path);
    await main(page).getByRole('heading', { name: title }).waitFor();
    await expect.poll(() => actionOf(page, title).count()).toBe(0);
  });
});
