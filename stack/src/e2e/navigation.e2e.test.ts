import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import { dialog, dialogIsGone, field, password, press, registered, someone } from './steps.ts';

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
      await page.evaluate(
        `history.pushState({}, '', '${path}'); dispatchEvent(new Event('popstate'))`,
      );
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

/** A member of the organization of a page, with a role. */
async function colleague(admin: Page, role: string) {
  const email = someone();
  const invited = await admin.request.post('/api/invitations', { data: { email, role } });
  const page = await browser.newPage(product.url);
  const { token: invite } = await invited.json();
  const data = { email, username: role, password, invite };
  expect((await page.request.post('/api/register', { data })).status()).toBe(201);
  return page;
}

describe('the actions of the palette', () => {
  const actions = async (page: Page) => {
    await page.goto('/dashboard');
    await page.getByRole('button', { name: 'Search' }).waitFor();
    await page.keyboard.press('/');
    const group = page.getByRole('group', { name: 'Actions' });
    await group.getByText('Run a task with Support').waitFor();
    return group.getByRole('option').allInnerTexts();
  };

  it('are those that the role may do', async () => {
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
    const manager = await actions(await colleague(page, 'AgentManager'));
    expect(manager).toContain('Create an agent');
    const viewer = await actions(await colleague(page, 'Viewer'));
    for (const [name, seen] of Object.entries({ manager, viewer })) {
      expect(seen, name).not.toContain('Add an article');
      expect(seen, name).not.toContain('Invite a member');
      expect(seen, name).not.toContain('Buy credits');
    }
    expect(viewer).not.toContain('Create an agent');
    expect(viewer).toContain('Start a new autonomous session');
  });

  it.each([
    ['Create an agent', '/agents?new=yes', 'Create Agent'],
    ['Add an article', '/knowledge?new=article', 'Add Article'],
    ['Create a playbook', '/knowledge?tab=playbooks&new=playbook', 'Create Playbook'],
    ['Add a tool', '/tools?new=tool', 'Add Tool'],
    ['Invite a member', '/team?new=invitation', 'Invite'],
  ])('lead to the form: %s', async (action, path, send) => {
    const { page } = await member();
    await actions(page);
    await page.keyboard.type(action);
    await page.getByRole('option', { name: action }).first().click();
    await page.waitForURL(`**${path}`);
    await dialog(page).getByRole('button', { name: send }).waitFor();
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await expect.poll(() => page.url()).not.toContain('new=');
  });

  it('show the shortcuts', async () => {
    const { page } = await member();
    await actions(page);
    await page.keyboard.type('shortcuts');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  });
});

describe('keyboard shortcuts', () => {
  it('lead to pages, create what the page is for, and are listed', async () => {
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
  });

  it('can be switched off in this browser, and on again', async () => {
    const { page } = await member();
    await page.goto('/agents');
    await page.getByRole('button', { name: 'Search' }).waitFor();
    await page.keyboard.press('?');
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

  it('of pages that the role does not see lead nowhere', async () => {
    const { page } = await member();
    const viewer = await colleague(page, 'Viewer');
    await viewer.goto('/agents');
    await viewer.getByRole('button', { name: 'Search' }).waitFor();
    await viewer.keyboard.press('c');
    await viewer.keyboard.press('g');
    await viewer.keyboard.press('v');
    await viewer.keyboard.press('g');
    await viewer.keyboard.press('t');
    await viewer.waitForURL('**/tasks');
    await expect.poll(() => dialog(viewer).count()).toBe(0);
  });
});
