import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import {
  dialog,
  dialogIsGone,
  field,
  goInside,
  password,
  press,
  registered,
  someone,
} from './steps.ts';

const { product, browser } = await openSuite();

async function member() {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const { id } = await (await page.request.post('/api/agents', { data: agentInput })).json();
  return { page, agentId: id as string };
}

describe('the sidebar and the header', () => {
  it('stay on the pages of one agent, which belong to the agents', async () => {
    const { page, agentId } = await member();
    await page.goto('/agents');
    const agents = page.getByRole('navigation', { name: 'Main menu' }).getByText('AI Agents');
    const sidebar = await page.getByRole('complementary').elementHandle();
    for (const path of [`/agents/${agentId}`, `/agent/${agentId}`, `/agents/${agentId}/execute`]) {
      await goInside(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
      await expect
        .poll(() => agents.evaluate((it) => it.closest('a')?.getAttribute('aria-current')))
        .toBe('page');
      await expect
        .poll(() => page.getByRole('banner').getByText('Harbour Books').isVisible())
        .toBe(true);
      // The same one, not one more of its kind: nothing flickers.
      await expect.poll(() => sidebar?.evaluate((it) => it.isConnected)).toBe(true);
      await expect.poll(() => page.getByRole('main').count()).toBe(1);
      await expectAccessible(page);
    }
  });
});

/** Invited to the organization that the page is signed in to, with a role. */
async function invitation(page: Page, role: string) {
  const email = someone();
  const invited = await page.request.post('/api/invitations', { data: { email, role } });
  const { token: invite } = await invited.json();
  return { email, username: role, password, invite };
}

/** Signs the page in as the one who was invited. */
async function accept(page: Page, data: Awaited<ReturnType<typeof invitation>>) {
  // The page of the member before may still ask for something.
  await page.goto('/robots.txt');
  await page.context().clearCookies();
  expect((await page.request.post('/api/register', { data })).status()).toBe(201);
}

/** Loads the dashboard, and opens the palette there; its actions. */
async function actions(page: Page) {
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Search' }).waitFor();
  await page.keyboard.press('/');
  const group = page.getByRole('group', { name: 'Actions' });
  await group.getByText('Run a task with Support').waitFor();
  return group.getByRole('option').allInnerTexts();
}

describe('the actions of the palette', () => {
  it('lead to the forms, and show the shortcuts', async () => {
    const { page } = await member();
    const all = await actions(page);
    expect(all).toEqual(
      expect.arrayContaining([
        'Create an agent',
        'Add an article',
        'Invite a member',
        'Buy credits',
      ]),
    );
    await expectAccessible(page);
    for (const [action, path, send] of [
      ['Create an agent', '/agents?new=yes', 'Create Agent'],
      ['Add an article', '/knowledge?new=article', 'Add Article'],
      ['Create a playbook', '/knowledge?tab=playbooks&new=playbook', 'Create Playbook'],
      ['Add a tool', '/tools?new=tool', 'Add Tool'],
      ['Invite a member', '/team?new=invitation', 'Invite'],
    ] as const) {
      await page.getByRole('combobox', { name: 'Search' }).waitFor();
      await page.keyboard.type(action);
      await page.getByRole('option', { name: action }).first().click();
      await page.waitForURL(`**${path}`);
      await dialog(page).getByRole('button', { name: send }).waitFor();
      await press(dialog(page), 'Close');
      await dialogIsGone(page);
      await expect.poll(() => page.url()).not.toContain('new=');
      await page.keyboard.press('/');
    }
    await page.getByRole('combobox', { name: 'Search' }).waitFor();
    await page.keyboard.type('shortcuts');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  });

  it('are those that the role may use, and so are the shortcuts', async () => {
    const { page } = await member();
    const asManager = await invitation(page, 'AgentManager');
    const asViewer = await invitation(page, 'Viewer');
    await accept(page, asManager);
    const manager = await actions(page);
    expect(manager).toContain('Create an agent');
    await accept(page, asViewer);
    const viewer = await actions(page);
    for (const [name, seen] of Object.entries({ manager, viewer })) {
      expect(seen, name).not.toContain('Add an article');
      expect(seen, name).not.toContain('Invite a member');
      expect(seen, name).not.toContain('Buy credits');
    }
    expect(viewer).not.toContain('Create an agent');
    expect(viewer).toContain('Start a new autonomous session');
    await page.keyboard.press('Escape');
    await dialogIsGone(page);

    // Shortcuts of pages that the role does not see lead nowhere.
    await page.getByRole('navigation').getByRole('link', { name: 'AI Agents' }).click();
    await page.waitForURL('**/agents');
    await page.getByRole('article').first().waitFor();
    for (const key of 'cgvgt') await page.keyboard.press(key);
    await page.waitForURL('**/tasks');
    await expect.poll(() => dialog(page).count()).toBe(0);
  });
});

describe('keyboard shortcuts', () => {
  it('lead to pages, create what the page is for, are listed, and can be switched off in this browser', async () => {
    const { page } = await member();
    await page.goto('/dashboard');
    await page.getByRole('button', { name: 'Search' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.waitForURL('**/knowledge');
    await page.keyboard.press('c');
    await field(page, 'title').waitFor();
    // Typed, and not followed.
    await field(page, 'title').pressSequentially('g a c / ?');
    await expect.poll(() => field(page, 'title').inputValue()).toBe('g a c / ?');
    expect(new URL(page.url()).pathname).toBe('/knowledge');
    await page.keyboard.press('Escape');
    await press(page.getByRole('alertdialog'), 'Discard');
    await dialogIsGone(page);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await expectAccessible(page);

    const single = dialog(page).getByRole('switch', { name: 'Single-key shortcuts' });
    await single.click();
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await page.keyboard.press('?');
    await page.keyboard.press('/');
    await page.keyboard.press('c');
    await expect.poll(() => dialog(page).count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Keyboard shortcuts' }).click();
    await single.click();
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search' }).waitFor();
  });
});
