import {
  type Agent,
  changeAgent,
  createAgent,
  deleteAgent,
  getAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type Article,
  createArticle,
  getArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  changePlaybook,
  createPlaybook,
  getPlaybook,
  type Playbook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import {
  changeTool,
  createTool,
  getTool,
  type Tool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { agentInput, registerOrganization, toolInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { expectAccessible, openSuite, pageOf } from './browser.ts';
import { aPlaybook, chooseFromMenu, dialog, dialogIsGone, field, press, toast } from './steps.ts';

const { product, browser } = await openSuite();

/** Two members who have the same object open in their editors. */
async function twoEditors<T extends { id: string }>(
  kind: { create: Endpoint; get: Endpoint; path: string; name: string; item: string },
  input: object,
) {
  const { client } = await registerOrganization(product.url);
  const other = await joinAs(client, product.url, 'Editor');
  const { id } = (await client.call<T>(kind.create, { body: input })).body;
  const [mine, theirs] = [
    await pageOf(client, product.url, browser),
    await pageOf(other.client, product.url, browser),
  ];
  const open = async (page: Page) => {
    await page.goto(kind.path);
    await chooseFromMenu(page, kind.name, kind.item);
    await dialog(page).locator('form [name]').first().waitFor();
  };
  await open(mine);
  await open(theirs);
  const stored = async () => (await client.call<T>(kind.get, { params: { id } })).body;
  /** What another member saved takes a moment to be seen by this client. */
  const isStored = (expected: object) => expect.poll(stored).toMatchObject(expected);
  return { client, id, mine, theirs, stored, isStored };
}

const agents = {
  create: createAgent,
  get: getAgent,
  path: '/agents',
  name: 'Support',
  item: 'Edit Agent',
};
const articles = {
  create: createArticle,
  get: getArticle,
  path: '/knowledge',
  name: 'Returns',
  item: 'Edit Article',
};

const lines = (...some: string[]) => some.join('\n');
const article = {
  title: 'Returns',
  content: lines('Within 30 days.', '', 'Send it back.', '', 'We refund it.'),
  category: 'General',
  tags: ['policy'],
};

const panel = (page: Page) => dialog(page).getByRole('region', { name: /while you were editing/ });
const change = (page: Page, name: string) =>
  panel(page).getByRole('listitem').filter({ hasText: name });

async function save(page: Page) {
  await press(dialog(page), 'Save Changes');
  await dialogIsGone(page);
}

/** Saves, and meets the other member's change. Returns the `If-Match` that was sent. */
async function saveAndMeet(page: Page): Promise<string | undefined> {
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await press(dialog(page), 'Save Changes');
  await panel(page).waitFor();
  return (await sent).headers()['if-match'];
}

describe('an agent that two members edit', () => {
  it('has both changes when they changed different fields', async () => {
    const { mine, theirs, isStored } = await twoEditors<Agent>(agents, agentInput);
    await field(mine, 'name').fill('Returns desk');
    await field(mine, 'personaConfig.role').fill('Head of returns');
    await field(theirs, 'personaConfig.personality').fill('Warm, brief and always exact');
    await save(theirs);

    await dialog(mine).getByText('Another member changed this while you were editing.').waitFor();
    expect(await saveAndMeet(mine)).toBe('"1"');
    await panel(mine).and(mine.locator(':focus')).waitFor();
    await panel(mine)
      .getByText(/^The Editor · .*Version 2$/)
      .waitFor();
    await expect
      .poll(() => change(mine, 'Personality').locator('ins').innerText())
      .toBe('Warm, brief and always exact');
    await expect.poll(() => panel(mine).getByRole('listitem').count()).toBe(1);
    await expect
      .poll(() => field(mine, 'personaConfig.personality').inputValue())
      .toBe('Warm, brief and always exact');
    await expect.poll(() => field(mine, 'name').inputValue()).toBe('Returns desk');
    await expectAccessible(mine);

    const sent = mine.waitForRequest((request) => request.method() === 'PUT');
    await press(dialog(mine), 'Save both changes');
    expect((await sent).headers()['if-match']).toBe('"2"');
    await dialogIsGone(mine);
    await isStored({
      name: 'Returns desk',
      version: 3,
      personaConfig: { role: 'Head of returns', personality: 'Warm, brief and always exact' },
    });
  });

  it('has the value that the second one chose for each field that both changed', async () => {
    const { mine, theirs, isStored } = await twoEditors<Agent>(agents, agentInput);
    for (const [page, name] of [
      [mine, 'Returns desk'],
      [theirs, 'Help desk'],
    ] as const) {
      await field(page, 'name').fill(name);
      await field(page, 'description').fill(`Answers whatever the ${name} is asked`);
      await field(page, 'personaConfig.responseFormat').selectOption('detailed');
    }
    await save(theirs);
    await saveAndMeet(mine);
    const name = change(mine, 'Name');
    await expect
      .poll(() => name.locator('ins').allInnerTexts())
      .toEqual(['Help desk', 'Returns desk']);
    await change(mine, 'Response Format').getByText('You made the same change').waitFor();
    await expect.poll(() => name.getByRole('radio', { name: 'Keep mine' }).isChecked()).toBe(true);

    await name.getByRole('radio', { name: 'Use theirs' }).check();
    await expect.poll(() => field(mine, 'name').inputValue()).toBe('Help desk');
    await name.getByRole('radio', { name: 'Keep mine' }).check();
    await expect.poll(() => field(mine, 'name').inputValue()).toBe('Returns desk');
    const description = change(mine, 'Description');
    await description.getByRole('radio', { name: 'Keep mine' }).focus();
    await mine.keyboard.press('ArrowRight');
    await expectAccessible(mine);
    await press(dialog(mine), 'Keep my changes');
    await dialogIsGone(mine);
    await isStored({
      name: 'Returns desk',
      description: 'Answers whatever the Help desk is asked',
    });
  });

  it('keeps what was typed on its own page, which follows the changes', async () => {
    const { client, id, mine } = await twoEditors<Agent>(agents, agentInput);
    await mine.goto(`/agents/${id}`);
    await chooseFromMenu(mine, agentInput.name, 'Edit Agent');
    await field(mine, 'name').fill('Returns desk');
    await client.call(changeAgent, { params: { id }, body: { name: 'Help desk' } });
    await dialog(mine).getByText('Another member changed this while you were editing.').waitFor();
    await expect.poll(() => field(mine, 'name').inputValue()).toBe('Returns desk');
    await client.call(deleteAgent, { params: { id } });
    await press(dialog(mine), 'Save Changes');
    await dialog(mine).getByText('Deleted while you were editing').waitFor();
    await expect.poll(() => field(mine, 'name').inputValue()).toBe('Returns desk');
  });

  it('stays as it is when the second one discards the changes', async () => {
    const { mine, theirs, isStored } = await twoEditors<Agent>(agents, agentInput);
    await field(theirs, 'name').fill('Help desk');
    await save(theirs);
    await field(mine, 'name').fill('Returns desk');
    await press(dialog(mine), 'Show changes');
    await panel(mine).waitFor();
    await press(dialog(mine), 'Discard my changes');
    await press(mine.getByRole('alertdialog'), 'Discard');
    await dialogIsGone(mine);
    await mine.getByRole('heading', { name: 'Help desk' }).waitFor();
    await isStored({ name: 'Help desk', version: 2 });
  });

  it('can be met again: a third change is shown too', async () => {
    const { mine, theirs, isStored } = await twoEditors<Agent>(agents, agentInput);
    const rename = async (name: string) => {
      await field(theirs, 'name').fill(name);
      await save(theirs);
    };
    await rename('Help desk');
    await field(mine, 'name').fill('Returns desk');
    await saveAndMeet(mine);
    await chooseFromMenu(theirs, 'Help desk', 'Edit Agent');
    await rename('Front desk');
    await press(dialog(mine), 'Keep my changes');
    await panel(mine).getByText('Front desk').waitFor();
    await press(dialog(mine), 'Keep my changes');
    await dialogIsGone(mine);
    await isStored({ name: 'Returns desk', version: 4 });
  });

  it('that one of them deleted can be restored, and the text is not lost', async () => {
    const { client, id, mine, isStored } = await twoEditors<Agent>(agents, agentInput);
    await field(mine, 'name').fill('Returns desk');
    await client.call(deleteAgent, { params: { id } });
    await press(dialog(mine), 'Save Changes');
    await panel(mine).getByText('Deleted while you were editing').waitFor();
    await expect.poll(() => field(mine, 'name').inputValue()).toBe('Returns desk');
    await expect
      .poll(() => dialog(mine).getByRole('button', { name: 'Save Changes' }).isDisabled())
      .toBe(true);
    await expectAccessible(mine);
    await mine.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await press(panel(mine), 'Copy my text');
    await toast(mine, 'Text copied');
    const copied = await mine.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toMatch(/^Name\nReturns desk\n\nDescription\n/);
    await press(panel(mine), 'Restore');
    await toast(mine, 'Restored. Now you can save.');
    await save(mine);
    await isStored({ name: 'Returns desk', version: 2 });
  });
});

describe('an article that two members edit', () => {
  it('has both changes when they changed different fields', async () => {
    const { mine, theirs, isStored } = await twoEditors<Article>(articles, article);
    await field(mine, 'title').fill('Returns and refunds');
    await field(theirs, 'category').fill('Finance');
    await save(theirs);
    expect(await saveAndMeet(mine)).toBe('"1"');
    await change(mine, 'Category').getByText('Applied').waitFor();
    await press(dialog(mine), 'Save both changes');
    await dialogIsGone(mine);
    await isStored({
      title: 'Returns and refunds',
      category: 'Finance',
      version: 3,
    });
  });

  it('can have both changes of one text that are in different lines', async () => {
    const { mine, theirs, isStored } = await twoEditors<Article>(articles, article);
    await field(mine, 'content').fill(article.content.replace('30', '60'));
    await field(theirs, 'content').fill(article.content.replace('refund it', 'refund it at once'));
    await save(theirs);
    await saveAndMeet(mine);
    const content = change(mine, 'Content');
    await expect
      .poll(() => content.locator('del').allInnerTexts())
      .toEqual(['We refund it.', 'Within 30 days.']);
    await content.getByRole('radio', { name: 'Use both' }).check();
    const both = lines('Within 60 days.', '', 'Send it back.', '', 'We refund it at once.');
    await expect.poll(() => field(mine, 'content').inputValue()).toBe(both);
    await press(dialog(mine), 'Keep my changes');
    await dialogIsGone(mine);
    await isStored({ content: both });
  });

  it('has the text that the second one chose when both changed the same line', async () => {
    const { mine, theirs, isStored } = await twoEditors<Article>(articles, article);
    await field(mine, 'content').fill(article.content.replace('30', '60'));
    await field(theirs, 'content').fill(article.content.replace('30', '90'));
    await save(theirs);
    await saveAndMeet(mine);
    const content = change(mine, 'Content');
    await expect.poll(() => content.getByRole('radio').count()).toBe(2);
    // What is typed now is the user's own change, and is not lost when theirs is tried.
    const third = article.content.replace('30', '75');
    await field(mine, 'content').fill(third);
    await content.getByText('Within 75 days.').waitFor();
    await content.getByRole('radio', { name: 'Use theirs' }).check();
    await content.getByRole('radio', { name: 'Keep mine' }).check();
    await press(dialog(mine), 'Keep my changes');
    await dialogIsGone(mine);
    await isStored({ content: third, version: 3 });
  });
});

describe('a playbook that two members edit', () => {
  it('keeps the steps of one and the tags of the other', async () => {
    const kind = {
      create: createPlaybook,
      get: getPlaybook,
      path: '/knowledge?tab=playbooks',
      name: aPlaybook.title,
      item: 'Edit Playbook',
    };
    const { client, id, mine, isStored } = await twoEditors<Playbook>(kind, aPlaybook);
    await field(mine, 'steps').fill(lines(...aPlaybook.steps, 'Write to the customer'));
    await client.call(changePlaybook, { params: { id }, body: { tags: ['money', 'urgent'] } });
    expect(await saveAndMeet(mine)).toBe('"1"');
    await panel(mine)
      .getByText(/^You, in another window/)
      .waitFor();
    await expect
      .poll(() => change(mine, 'Tags').locator('ins').allInnerTexts())
      .toEqual(['urgent']);
    await press(dialog(mine), 'Save both changes');
    await dialogIsGone(mine);
    await isStored({
      steps: [...aPlaybook.steps, 'Write to the customer'],
      tags: ['money', 'urgent'],
    });
  });
});

describe('a tool that two members edit', () => {
  it('never gets a credential that was typed for the place where it was before', async () => {
    const kind = {
      create: createTool,
      get: getTool,
      path: '/tools',
      name: toolInput.name,
      item: 'Edit Tool',
    };
    const { client, id, mine, stored, isStored } = await twoEditors<Tool>(kind, toolInput);
    await field(mine, 'description').fill('Looks up what was bought in the shop');
    await press(dialog(mine), 'Replace');
    await field(mine, 'credentials.token').fill('typed-for-the-first-place');
    const { config } = await stored();
    await client.call(changeTool, {
      params: { id },
      body: {
        config: { ...config, baseUrl: 'https://elsewhere.example.com' },
        authCredentials: { token: 'of-the-other-place' },
      },
    });
    expect(await saveAndMeet(mine)).toBe('"1"');
    await change(mine, 'Base URL').locator('ins').waitFor();
    await panel(mine)
      .getByText(/Enter yours again/)
      .waitFor();
    await expect.poll(() => panel(mine).innerText()).not.toContain('typed-for-the-first-place');
    await expect.poll(() => field(mine, 'credentials.token').inputValue()).toBe('');
    const sent = mine.waitForRequest((request) => request.method() === 'PUT');
    await press(dialog(mine), 'Save both changes');
    expect((await sent).postDataJSON()).toEqual({
      description: 'Looks up what was bought in the shop',
    });
    await dialogIsGone(mine);
    await isStored({
      description: 'Looks up what was bought in the shop',
      config: { baseUrl: 'https://elsewhere.example.com' },
      credentialNames: ['token'],
      credentialsRequired: null,
    });
  });
});
