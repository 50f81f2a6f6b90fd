import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { membersOfEachRole } from '../testing/members.ts';
import { expectAccessible, openSuite, pageOf } from './browser.ts';
import {
  chooseFromMenu,
  dialog,
  dialogIsGone,
  field,
  fillRegistration,
  goInside,
  press,
  registered,
  someone,
  toast,
} from './steps.ts';

const { product, browser } = await openSuite();

const rowOf = (page: Page, text: string) => page.locator('[data-row]', { hasText: text });

/** Creates an invitation in the dialog and returns the path of its link. */
async function invite(admin: Page, email: string, role: string): Promise<string> {
  await press(admin, 'Invite Member');
  await press(dialog(admin), /^Invite$/);
  await dialog(admin).getByText('Please enter a valid email address').waitFor();
  await press(dialog(admin), 'Cancel');
  await press(admin, 'Invite Member');
  await field(admin, 'email').fill(email);
  await field(admin, 'role').selectOption(role);
  await press(dialog(admin), /^Invite$/);
  await dialog(admin).getByText('Invitation ready').waitFor();
  const { pathname, search } = new URL(await dialog(admin).getByRole('textbox').inputValue());
  await press(dialog(admin), 'Done');
  await dialogIsGone(admin);
  await admin.getByRole('button', { name: `Actions for ${email}` }).waitFor();
  return pathname + search;
}

/** Registers by an invitation that names the organization and the address. */
async function accept(visitor: Page, path: string, email: string) {
  await visitor.goto(path);
  for (const [name, value] of [
    ['organizationName', 'Harbour Books'],
    ['email', email],
  ] as const) {
    await expect.poll(() => field(visitor, name).inputValue()).toBe(value);
    await expect.poll(() => field(visitor, name).getAttribute('readonly')).not.toBeNull();
  }
  await fillRegistration(visitor, { email });
  await visitor.waitForURL('**/dashboard');
  await visitor.getByText('Harbour Books').first().waitFor();
}

async function removeMember(admin: Page, name: string) {
  await chooseFromMenu(admin, name, 'Remove Member');
  await admin
    .getByRole('alertdialog')
    .getByText(/signed out immediately/)
    .waitFor();
  await press(admin.getByRole('alertdialog'), 'Remove Member');
  await toast(admin, `${name} was removed`);
  await rowOf(admin, name).getByText('Deactivated').waitFor();
}

/** The role of a member changes, who is removed and readmitted twice: at once, and later. */
async function changeMember(admin: Page, member: Page, name: string) {
  await chooseFromMenu(admin, name, 'Edit Role');
  await field(admin, 'role').selectOption('Editor');
  await dialog(admin).getByText('Manages knowledge base and creates content').waitFor();
  await press(dialog(admin), 'Save role');
  await toast(admin, `Role of ${name} changed`);
  await rowOf(admin, name).getByText('Editor').waitFor();

  await removeMember(admin, name);
  expect((await member.request.get('/api/user')).status()).toBe(401);
  await press(admin, 'Undo');
  await toast(admin, `${name} was reactivated`);
  await rowOf(admin, name).getByText('Active', { exact: true }).waitFor();

  await removeMember(admin, name);
  await chooseFromMenu(admin, name, 'Reactivate');
  await toast(admin, `${name} was reactivated`);
  await rowOf(admin, name).getByText('Active', { exact: true }).waitFor();
  await chooseFromMenu(admin, name, 'History');
  for (const happened of [
    'Member joined',
    'Role changed',
    'Member removed',
    'Member reactivated',
  ]) {
    await dialog(admin).getByText(happened).first().waitFor();
  }
  await press(dialog(admin), 'Close');
  await dialogIsGone(admin);
}

/** The reusable link lets in as a Viewer, until it is revoked. */
async function joinByLink(admin: Page, visitor: Page) {
  await press(admin, 'Copy Invite Link');
  await toast(admin, 'Invite link copied');
  const copied: string = await admin.evaluate('navigator.clipboard.readText()');
  const { pathname, search } = new URL(copied);
  await visitor.goto(pathname + search);
  await fillRegistration(visitor, { email: someone() });
  await visitor.waitForURL('**/dashboard');
  await visitor.getByText('Viewer', { exact: true }).waitFor();
  await admin.getByText('Used 1 time').waitFor();

  await press(admin, 'Revoke link');
  await press(admin.getByRole('alertdialog'), 'Revoke link');
  await admin.getByText('There is no invite link.').waitFor();
  await visitor.context().clearCookies();
  await visitor.goto(pathname + search);
  await visitor.getByText("This invitation isn't valid").waitFor();
}

describe('the team page', () => {
  it('invites an address and changes, removes and readmits its member; anyone joins by the link', async () => {
    const admin = await browser.newPage(product.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await registered(admin, 'Harbour Books');
    await admin.goto('/team');
    await admin.getByText('No open invitations.').waitFor();
    const email = someone();
    const path = await invite(admin, email, 'AgentManager');

    const visitor = await browser.newPage(product.url);
    await accept(visitor, path, email);
    // The Admin's page receives the new member without a reload.
    const name = `Person ${email.slice(0, 4)}`;
    await rowOf(admin, name).getByText('Now').waitFor();
    await rowOf(admin, name).getByText('Agent Manager').waitFor();
    await admin.getByText('Accepted').waitFor();

    await changeMember(admin, visitor, name);
    await joinByLink(admin, visitor);
  });

  it('has a rule by which data of former members is erased, and a legal hold that delays it', async () => {
    const { client } = await registerOrganization(product.url);
    const admin = await pageOf(client, product.url, browser);
    await admin.goto('/team');
    await admin.getByText('Not erased automatically.').waitFor();
    await press(admin, 'Change');
    await field(admin, 'days').fill('7');
    await press(dialog(admin), 'Save');
    await dialog(admin).getByText('Days must be a whole number from 30 to 3650').waitFor();
    await expectAccessible(admin);
    await field(admin, 'days').fill('90');
    await press(dialog(admin), 'Save');
    await toast(admin, 'Rule saved');
    await admin.getByText('Erased 90 days after removal.').waitFor();

    await press(admin, 'Place legal hold');
    await press(dialog(admin), 'Place hold');
    await dialog(admin).getByText('The reason must have 1 to 500 characters').waitFor();
    await field(admin, 'reason').fill('Case 2026-114');
    await press(dialog(admin), 'Place hold');
    await toast(admin, 'Legal hold placed');
    await admin.getByText(/^Legal hold since/).waitFor();
    await admin.getByText('Case 2026-114').waitFor();

    await press(admin, 'Lift legal hold');
    await press(admin.getByRole('alertdialog'), 'Lift hold');
    await toast(admin, 'Legal hold lifted');
    await admin.getByRole('button', { name: 'Place legal hold' }).waitFor();
  });
});

describe('an invitation', () => {
  it('says to a person with another organization why it does not fit, signed in or not', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const person = await browser.newPage(product.url);
    const { email } = await registered(person, 'Quarry');
    const { body } = await admin.call<{ token: string }>(issueInvitation, {
      body: { email, role: 'Editor' },
    });
    await person.goto(`/auth?invite=${body.token}`);
    await person.getByText(`You're signed in as ${email} at Quarry.`).waitFor();
    await press(person, 'Sign out');
    await person.getByText('already has an account in another organization').waitFor();
    await press(person.getByRole('tabpanel'), 'Sign In');
    await field(person, 'email').waitFor();
  });
});

describe('each role', () => {
  const RIGHTS = {
    Admin: { agents: true, articles: true, auditLog: true },
    Editor: { agents: true, articles: true, auditLog: false },
    AgentManager: { agents: true, articles: false, auditLog: false },
    Viewer: { agents: false, articles: false, auditLog: false },
  };

  /** What the pages of agents and articles, and the menu, offer. */
  async function offers(page: Page) {
    await page.goto('/agents');
    await page.getByText('No agents yet').first().waitFor();
    const agents = (await page.getByRole('button', { name: 'Create Agent' }).count()) > 0;
    const auditLog = (await page.getByRole('link', { name: 'Audit Log' }).count()) > 0;
    await goInside(page, '/knowledge');
    await page.getByText('No articles yet').first().waitFor();
    const articles = (await page.getByRole('button', { name: 'Add Article' }).count()) > 0;
    return { agents, articles, auditLog };
  }

  it('sees what it may do, and restricted cards in place of the team and the audit log', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const page = await browser.newPage(product.url);
    const found: Record<string, object> = {};
    for (const [role, { cookies }] of await membersOfEachRole(admin, product.url)) {
      // An Auditor opens none of these pages.
      if (role === 'Auditor') continue;
      await page.context().clearCookies();
      const url = product.url;
      await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url })));
      found[role] = await offers(page);
      const restricted = 'Only organization admins can manage team members and invitations.';
      // Once by its address, as from a bookmark.
      await (role === 'Viewer' ? page.goto('/team') : goInside(page, '/team'));
      await page.getByText(role === 'Admin' ? 'Role Permissions' : restricted).waitFor();
      if (role === 'Admin') continue;
      await goInside(page, '/audit');
      await page.getByText('Only organization admins can read the audit log.').waitFor();
    }
    expect(found).toEqual(RIGHTS);
  });
});
