import { listArticles } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import type { Locator, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { expectAccessible, openSuite, pageOf } from './browser.ts';
import { dialog, dialogIsGone, field, press, registered, toast } from './steps.ts';

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
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
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

  it('leads from the empty form to the templates and back, and writes the article once', async () => {
    const { client } = await registerOrganization(product.url);
    const page = await pageOf(client, product.url, browser);
    let refusals = 1;
    await page.route('**/api/agents', async (route) => {
      const isRefused = route.request().method() === 'POST' && refusals-- > 0;
      const problem = { status: 429, code: 'too-many-requests', title: 'Slow down' };
      if (isRefused) await route.fulfill({ status: 429, json: problem });
      else await route.continue();
    });
    await page.goto('/agents');
    await press(main(page), 'Create Agent');
    await press(dialog(page), 'Start from a template');
    await press(dialog(page), 'Start from scratch');
    await dialog(page).getByRole('heading', { name: 'Create Agent' }).waitFor();
    await expect.poll(() => field(page, 'name').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    expect(new URL(page.url()).search).toBe('');

    // Although the agent is refused at first.
    await main(page).getByRole('link', { name: 'Start from a template' }).click();
    await press(dialog(page), /^Data analyst/);
    await press(dialog(page), 'Create Agent');
    await toast(page, 'Failed to create agent');
    await field(page, 'article.title').fill('Our metrics');
    await press(dialog(page), 'Create Agent');
    await dialog(page)
      .getByText(/answers from “Our metrics”/)
      .waitFor();
    const articles = await page.request.get(listArticles.path);
    expect(await articles.json()).toMatchObject([{ title: 'Our metrics' }]);
  });

  it('gives an Agent Manager the agent, and says who adds its article', async () => {
    const { client } = await registerOrganization(product.url);
    const manager = await joinAs(client, product.url, 'AgentManager');
    const page = await pageOf(manager.client, product.url, browser);
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

type Empty = {
  /** Of the menu; absent for another tab of the page before. */
  readonly link?: string;
  readonly tab?: RegExp;
  readonly title: string;
  readonly action: string;
};

const CONTENT: readonly Empty[] = [
  { link: 'Tools', title: 'No tools yet', action: 'Add Tool' },
  { link: 'Knowledge Base', title: 'No articles yet', action: 'Add Article' },
  { tab: /^Playbooks/, title: 'No playbooks yet', action: 'Create Playbook' },
];
const EMPTY: readonly Empty[] = [
  ...CONTENT,
  {
    link: 'Autonomous Sessions',
    title: 'No autonomous sessions yet.',
    action: 'Start New Session',
  },
  { link: 'Billing', tab: /^Limits/, title: 'No limits yet', action: 'Add limit' },
];

async function openEmpty(page: Page, { link, tab }: Empty) {
  if (link) await page.getByRole('link', { name: link, exact: true }).click();
  if (tab) await page.getByRole('tab', { name: tab }).click();
}

describe('empty pages', () => {
  it('lead to their first entries', async () => {
    const page = await newcomer('/support');
    await actionOf(page, 'No tickets yet').waitFor();
    const ticket = main(page).getByRole('link', { name: 'New ticket', exact: true });
    await expect.poll(() => ticket.count()).toBe(1);
    await actionOf(page, 'No tickets yet').click();
    await field(page, 'subject').waitFor();
    await page.goBack();
    for (const empty of EMPTY) {
      await openEmpty(page, empty);
      const { title, action } = empty;
      const button = actionOf(page, title);
      await button.waitFor();
      await expect.poll(() => button.innerText()).toBe(action);
      // The header has none of the same name meanwhile.
      const same = main(page).getByRole('button', { name: action, exact: true });
      await expect.poll(() => same.count()).toBe(1);
      await button.click();
      await dialog(page).waitFor();
      await page.keyboard.press('Escape');
      await dialogIsGone(page);
    }
  });

  it('offer a Viewer nothing to create', async () => {
    const { client } = await registerOrganization(product.url);
    const viewer = await joinAs(client, product.url, 'Viewer');
    const page = await pageOf(viewer.client, product.url, browser);
    await page.goto('/tools');
    for (const empty of CONTENT) {
      await openEmpty(page, empty);
      await main(page).getByRole('heading', { name: empty.title }).waitFor();
      await expect.poll(() => actionOf(page, empty.title).count()).toBe(0);
    }
  });
});
