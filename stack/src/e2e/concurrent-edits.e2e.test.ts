import {
  type Agent,
  type Assignments,
  assignResources,
  changeAgent,
  createAgent,
  deleteAgent,
  getAgent,
  getAssignments,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type Article,
  changeArticle,
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
import {
  anArticle,
  aPlaybook,
  chooseFromMenu,
  dialog,
  dialogIsGone,
  field,
  press,
  toast,
} from './steps.ts';

const { product, browser } = await openSuite();

/** An Admin with a page, and an Editor of the same organization. */
async function twoMembers() {
  const { client } = await registerOrganization(product.url);
  const other = (await joinAs(client, product.url, 'Editor')).client;
  const mine = await pageOf(client, product.url, browser);
  /** Makes an object, which the Admin and the Editor can change and read. */
  const made = async <T extends { id: string }>(
    endpoints: { create: Endpoint; change: Endpoint; get: Endpoint },
    input: object,
  ) => {
    const { id } = (await client.call<T>(endpoints.create, { body: input })).body;
    const params = { id };
    const stored = async () => (await client.call<T>(endpoints.get, { params })).body;
    const changeBy = async (member: typeof client, body: object) =>
      expect((await member.call(endpoints.change, { params, body })).status).toBe(200);
    return {
      params,
      stored,
      /** What another member saved takes a moment to be seen by this client. */
      isStored: (expected: object) => expect.poll(stored).toMatchObject(expected),
      iChange: (body: object) => changeBy(client, body),
      theyChange: (body: object) => changeBy(other, body),
    };
  };
  return { client, other, mine, made };
}

const agents = { create: createAgent, change: changeAgent, get: getAgent };
const articles = { create: createArticle, change: changeArticle, get: getArticle };
const playbooks = { create: createPlaybook, change: changePlaybook, get: getPlaybook };
const tools = { create: createTool, change: changeTool, get: getTool };

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

async function edit(page: Page, name: string, item: string) {
  await chooseFromMenu(page, name, item);
  await dialog(page).locator('form [name]').first().waitFor();
}

async function save(page: Page) {
  await press(dialog(page), 'Save Changes');
  await dialogIsGone(page);
}

async function keepMine(page: Page) {
  await press(dialog(page), 'Keep my changes');
  await dialogIsGone(page);
}

/** Saves, and meets the other member's change. Returns the `If-Match` that was sent. */
async function saveAndMeet(page: Page): Promise<string | undefined> {
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await press(dialog(page), 'Save Changes');
  await panel(page).waitFor();
  return (await sent).headers()['if-match'];
}

describe('an agent that two members have open', () => {
  it('has both changes when they changed different fields, and the resources that both chose', async () => {
    const { client, other, mine, made } = await twoMembers();
    const theirs = await pageOf(other, product.url, browser);
    const { params, isStored } = await made<Agent>(agents, agentInput);
    const ids: string[] = [];
    for (const title of ['Returns', 'Delivery', 'Warranty']) {
      const body = { ...anArticle, title };
      ids.push((await client.call<Article>(createArticle, { body })).body.id);
    }
    const [returns, delivery, warranty] = ids;
    await client.call(assignResources, { params, body: { articles: [returns] } });
    for (const page of [mine, theirs]) {
      await page.goto('/agents');
      await edit(page, 'Support', 'Edit Agent');
    }
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

    const saved = mine.waitForRequest((request) => request.method() === 'PUT');
    await press(dialog(mine), 'Save both changes');
    expect((await saved).headers()['if-match']).toBe('"2"');
    await dialogIsGone(mine);
    await isStored({
      name: 'Returns desk',
      version: 3,
      personaConfig: { role: 'Head of returns', personality: 'Warm, brief and always exact' },
    });

    const box = (page: Page, name: string) => dialog(page).getByRole('checkbox', { name });
    for (const page of [mine, theirs]) {
      await chooseFromMenu(page, 'Returns desk', 'Assign Resources');
      await box(page, 'Returns').waitFor();
    }
    // This page does not hear of the other choice before it saves.
    browser.mayComplain(/ERR_FAILED/);
    await mine.route('**/assignments', (route) => route.abort());
    await box(theirs, 'Returns').click();
    await box(theirs, 'Delivery').click();
    await press(dialog(theirs), 'Assign Resources');
    await dialogIsGone(theirs);

    await box(mine, 'Warranty').click();
    const sent = mine.waitForRequest((request) => request.url().endsWith('/assign'));
    await press(dialog(mine), 'Assign Resources');
    expect((await sent).headers()['if-match']).toBe('"1"');
    await mine.unrouteAll();
    await panel(mine).and(mine.locator(':focus')).waitFor();
    await panel(mine)
      .getByText(/^The Editor · /)
      .waitFor();
    await expect.poll(() => panel(mine).locator('del').allInnerTexts()).toEqual(['Returns']);
    await expect.poll(() => panel(mine).locator('ins').allInnerTexts()).toEqual(['Delivery']);
    const ticked = ['Returns', 'Delivery', 'Warranty'].map((name) => box(mine, name).isChecked());
    expect(await Promise.all(ticked)).toEqual([false, true, true]);
    await expectAccessible(mine);
    await press(dialog(mine), 'Save both changes');
    await dialogIsGone(mine);
    const assigned = async () => (await client.call<Assignments>(getAssignments, { params })).body;
    await expect
      .poll(async () => (await assigned()).articles.toSorted())
      .toEqual([delivery, warranty].toSorted());
  });

  it('keeps what the second one chose, also after a third change; changes can be discarded, and a deleted agent restored without losing what was typed', async () => {
    const { client, mine, made } = await twoMembers();
    const { params, isStored, theyChange } = await made<Agent>(agents, agentInput);
    await mine.goto('/agents');
    await edit(mine, 'Support', 'Edit Agent');
    await field(mine, 'name').fill('Returns desk');
    await field(mine, 'description').fill('Answers whatever the Returns desk is asked');
    await field(mine, 'personaConfig.responseFormat').selectOption('detailed');
    await theyChange({
      name: 'Help desk',
      description: 'Answers whatever the Help desk is asked',
      personaConfig: { ...agentInput.personaConfig, responseFormat: 'detailed' },
    });
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
    await keepMine(mine);
    await isStored({
      name: 'Returns desk',
      description: 'Answers whatever the Help desk is asked',
      version: 3,
    });
    await mine
      .getByRole('article', { name: 'Returns desk' })
      .getByText('Answers whatever the Help desk is asked')
      .waitFor();

    await edit(mine, 'Returns desk', 'Edit Agent');
    await theyChange({ name: 'Help desk' });
    await field(mine, 'name').fill('First desk');
    await saveAndMeet(mine);
    await theyChange({ name: 'Front desk' });
    await press(dialog(mine), 'Keep my changes');
    await panel(mine).getByText('Front desk').waitFor();
    await keepMine(mine);
    await isStored({ name: 'First desk', version: 6 });

    await edit(mine, 'First desk', 'Edit Agent');
    await theyChange({ name: 'Help desk' });
    await field(mine, 'name').fill('Returns desk');
    await press(dialog(mine), 'Show changes');
    await panel(mine).waitFor();
    await press(dialog(mine), 'Discard my changes');
    await press(mine.getByRole('alertdialog'), 'Discard');
    await dialogIsGone(mine);
    await mine.getByRole('heading', { name: 'Help desk' }).waitFor();
    await isStored({ name: 'Help desk', version: 7 });

    await edit(mine, 'Help desk', 'Edit Agent');
    await field(mine, 'name').fill('Returns desk');
    await client.call(deleteAgent, { params });
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
    await isStored({ name: 'Returns desk', version: 8 });

    await mine.getByRole('link', { name: 'Returns desk' }).click();
    await mine.getByRole('heading', { name: 'Returns desk', level: 1 }).waitFor();
    await edit(mine, 'Returns desk', 'Edit Agent');
    await field(mine, 'name').fill('Front desk');
    await theyChange({ name: 'Help desk' });
    await dialog(mine).getByText('Another member changed this while you were editing.').waitFor();
    await expect.poll(() => field(mine, 'name').inputValue()).toBe('Front desk');
    await client.call(deleteAgent, { params });
    await press(dialog(mine), 'Save Changes');
    await dialog(mine).getByText('Deleted while you were editing').waitFor();
    await expect.poll(() => field(mine, 'name').inputValue()).toBe('Front desk');
  });
});

describe('an article, a playbook and a tool that two members edit', () => {
  it('have both changes of different fields or lines and the chosen one of the same line, and no credential for another place', async () => {
    const { mine, made } = await twoMembers();
    const { isStored, theyChange } = await made<Article>(articles, article);
    const playbook = await made<Playbook>(playbooks, aPlaybook);
    const tool = await made<Tool>(tools, toolInput);
    await mine.goto('/knowledge');
    const card = mine.getByRole('article', { name: 'Returns' });
    await edit(mine, 'Returns', 'Edit Article');
    await field(mine, 'title').fill('Returns and refunds');
    await theyChange({ category: 'Finance' });
    expect(await saveAndMeet(mine)).toBe('"1"');
    await change(mine, 'Category').getByText('Applied').waitFor();
    await press(dialog(mine), 'Save both changes');
    await dialogIsGone(mine);
    await isStored({ title: 'Returns and refunds', category: 'Finance', version: 3 });

    await card.getByText('Version 3').waitFor();
    await edit(mine, 'Returns and refunds', 'Edit Article');
    await field(mine, 'content').fill(article.content.replace('30', '60'));
    await theyChange({ content: article.content.replace('refund it', 'refund it at once') });
    await saveAndMeet(mine);
    const content = change(mine, 'Content');
    await expect
      .poll(() => content.locator('del').allInnerTexts())
      .toEqual(['We refund it.', 'Within 30 days.']);
    await content.getByRole('radio', { name: 'Use both' }).check();
    const both = lines('Within 60 days.', '', 'Send it back.', '', 'We refund it at once.');
    await expect.poll(() => field(mine, 'content').inputValue()).toBe(both);
    await keepMine(mine);
    await isStored({ content: both, version: 5 });

    await card.getByText('Version 5').waitFor();
    await edit(mine, 'Returns and refunds', 'Edit Article');
    await field(mine, 'content').fill(both.replace('60', '70'));
    await theyChange({ content: both.replace('60', '90') });
    await saveAndMeet(mine);
    await expect.poll(() => content.getByRole('radio').count()).toBe(2);
    // What is typed now is the user's own change, and is not lost when theirs is tried.
    const third = both.replace('60', '75');
    await field(mine, 'content').fill(third);
    await content.getByText('Within 75 days.').waitFor();
    await content.getByRole('radio', { name: 'Use theirs' }).check();
    await content.getByRole('radio', { name: 'Keep mine' }).check();
    await keepMine(mine);
    await isStored({ content: third, version: 7 });

    await mine.getByRole('tab', { name: 'Playbooks (1)' }).click();
    await edit(mine, aPlaybook.title, 'Edit Playbook');
    await field(mine, 'steps').fill(lines(...aPlaybook.steps, 'Write to the customer'));
    await playbook.iChange({ tags: ['money', 'urgent'] });
    expect(await saveAndMeet(mine)).toBe('"1"');
    await panel(mine)
      .getByText(/^You, in another window/)
      .waitFor();
    await expect
      .poll(() => change(mine, 'Tags').locator('ins').allInnerTexts())
      .toEqual(['urgent']);
    await press(dialog(mine), 'Save both changes');
    await dialogIsGone(mine);
    await playbook.isStored({
      steps: [...aPlaybook.steps, 'Write to the customer'],
      tags: ['money', 'urgent'],
    });

    // A credential that was typed for the place where the tool was before is never sent.
    await mine.getByRole('link', { name: 'Tools', exact: true }).click();
    await edit(mine, toolInput.name, 'Edit Tool');
    await field(mine, 'description').fill('Looks up what was bought in the shop');
    await press(dialog(mine), 'Replace');
    await field(mine, 'credentials.token').fill('typed-for-the-first-place');
    const { config } = await tool.stored();
    await tool.iChange({
      config: { ...config, baseUrl: 'https://elsewhere.example.com' },
      authCredentials: { token: 'of-the-other-place' },
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
    await tool.isStored({
      description: 'Looks up what was bought in the shop',
      config: { baseUrl: 'https://elsewhere.example.com' },
      credentialNames: ['token'],
      credentialsRequired: null,
    });
  });
});
