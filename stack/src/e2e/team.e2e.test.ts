import { registerOrganization } from '@tallyhand/test-kit/api-client';
import { type MailServer, mailThrough, startMailServer } from '@tallyhand/test-kit/mail-server';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { membersOfEachRole } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { expectAccessible, openSuite, pageOf } from './browser.ts';
import {
  chooseFromMenu,
  dialog,
  dialogIsGone,
  field,
  fillRegistration,
  password,
  press,
  registered,
  someone,
  toast,
} from './steps.ts';

const { product, browser } = await openSuite();

type Role = 'Admin' | 'Editor' | 'AgentManager' | 'Viewer';

/** The team page of a new organization, for its Admin. */
async function teamPage(organization: string, url = product.url): Promise<Page> {
  const page = await browser.newPage(url, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await registered(page, organization);
  await page.goto('/team');
  await page.getByText('No open invitations.').waitFor();
  return page;
}

/** Creates an invitation in the dialog and returns the path of its link. */
async function invite(admin: Page, email: string, role: Role): Promise<string> {
  await press(admin, 'Invite Member');
  await field(admin, 'email').fill(email);
  await field(admin, 'role').selectOption(role);
  await press(dialog(admin), /^Invite$/);
  await dialog(admin).getByText('Invitation ready').waitFor();
  const { pathname, search } = new URL(await dialog(admin).getByRole('textbox').inputValue());
  await press(dialog(admin), 'Done');
  await dialogIsGone(admin);
  return pathname + search;
}

async function join(path: string, email: string, url = product.url): Promise<Page> {
  const page = await browser.newPage(url);
  await page.goto(path);
  await fillRegistration(page, { email });
  await page.waitForURL('**/dashboard');
  return page;
}

/** Whether the page at the path offers a button of this name. */
async function offers(page: Page, path: string, loaded: string, name: string): Promise<boolean> {
  await page.goto(path);
  await page.getByText(loaded).first().waitFor();
  return (await page.getByRole('button', { name }).count()) > 0;
}

describe('a person with an account in another organization', () => {
  it('learns why an invitation does not fit, signed in or not', async () => {
    const admin = await teamPage('Harbour Books');
    const person = await browser.newPage(product.url);
    const { email } = await registered(person, 'Quarry');
    const path = await invite(admin, email, 'Editor');
    await person.goto(path);
    await person.getByText(`You're signed in as ${email} at Quarry.`).waitFor();
    await expectAccessible(person);
    await press(person, 'Sign out');
    await person.getByText('already has an account in another organization').waitFor();
    await expectAccessible(person);
    await press(person.getByRole('tabpanel'), 'Sign In');
    await field(person, 'email').waitFor();
  });
});

describe('a team', () => {
  it('grows by invitations that only their address can use', async () => {
    const admin = await teamPage('Harbour Books');
    await press(admin, 'Invite Member');
    await press(dialog(admin), /^Invite$/);
    await dialog(admin).getByText('Please enter a valid email address').waitFor();
    await press(dialog(admin), 'Cancel');
    const email = someone();
    const path = await invite(admin, email, 'Editor');
    await admin.getByRole('button', { name: `Actions for ${email}` }).waitFor();

    const stranger = await browser.newPage(product.url);
    await stranger.goto(path);
    await expect.poll(() => field(stranger, 'organizationName').inputValue()).toBe('Harbour Books');
    await expect
      .poll(() => field(stranger, 'organizationName').getAttribute('readonly'))
      .not.toBeNull();
    await expect.poll(() => field(stranger, 'email').inputValue()).toBe(email);
    await expect.poll(() => field(stranger, 'email').getAttribute('readonly')).not.toBeNull();

    const editor = await join(path, email);
    await editor.getByText('Harbour Books').first().waitFor();
    // The Admin's page receives the new member without a reload.
    await admin.getByText(`Person ${email.slice(0, 4)}`).waitFor();
    await admin.getByText('Accepted').waitFor();
  });

  it('shows each role what it may do, and the restricted card in place of the team', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const rights = {
      Admin: { agents: true, articles: true },
      Editor: { agents: true, articles: true },
      AgentManager: { agents: true, articles: false },
      Viewer: { agents: false, articles: false },
    };
    const found: Record<string, { agents: boolean; articles: boolean }> = {};
    for (const [role, client] of await membersOfEachRole(admin, product.url)) {
      // An Auditor opens none of these pages.
      if (role === 'Auditor') continue;
      const page = await pageOf(client, product.url, browser);
      found[role] = {
        agents: await offers(page, '/agents', 'No agents yet', 'Create Agent'),
        articles: await offers(page, '/knowledge', 'No articles yet', 'Add Article'),
      };
      await page.goto('/team');
      const restricted = 'Only organization admins can manage team members and invitations.';
      await page.getByText(role === 'Admin' ? 'Role Permissions' : restricted).waitFor();
      await page.context().close();
    }
    expect(found).toEqual(rights);
  });

  it('lets anyone with the invite link in as a Viewer, until it is revoked', async () => {
    const admin = await teamPage('North');
    await press(admin, 'Copy Invite Link');
    await toast(admin, 'Invite link copied');
    const copied: string = await admin.evaluate('navigator.clipboard.readText()');
    const { pathname, search } = new URL(copied);
    const viewer = await join(pathname + search, someone());
    await viewer.getByText('Viewer', { exact: true }).waitFor();
    await admin.getByText('Used 1 time').waitFor();

    await press(admin, 'Revoke link');
    await press(admin.getByRole('alertdialog'), 'Revoke link');
    await admin.getByText('There is no invite link.').waitFor();
    const late = await browser.newPage(product.url);
    await late.goto(pathname + search);
    await late.getByText("This invitation isn't valid").waitFor();
  });
});

describe('a mail server', () => {
  let server: MailServer;
  let withMail: OwnProduct;

  beforeAll(async () => {
    server = await startMailServer();
    withMail = await startTestProduct({
      mail: mailThrough(server),
    });
  });
  afterAll(async () => {
    await withMail[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  async function inviteByMail(admin: Page, email: string, message: string) {
    await press(admin, 'Invite Member');
    await field(admin, 'email').fill(email);
    await field(admin, 'role').selectOption('Viewer');
    await field(admin, 'message').fill(message);
    await press(dialog(admin), /^Invite$/);
    await dialogIsGone(admin);
    await toast(admin, 'Invitation sent');
  }
  /** The path of the link in the newest mail to the address. */
  function mailedPath(email: string): string {
    const mail = server.received.findLast(({ to }) => to.includes(email));
    const url = /https?:\/\/\S+\/auth\?invite=[\w.-]+/.exec(mail?.text ?? '')?.[0];
    if (!url) throw new Error('The mail has no link');
    return new URL(url).pathname + new URL(url).search;
  }
  const rowOf = (page: Page, text: string) => page.locator('[data-row]', { hasText: text });

  it('admits a member, whose role changes, who is removed and readmitted', async () => {
    const admin = await teamPage('Mill & Sons', withMail.url);
    const email = someone();
    await inviteByMail(admin, email, 'We start on Monday');
    await rowOf(admin, email).getByText('Sent', { exact: true }).waitFor();
    expect(server.received.at(-1)?.text).toContain('> We start on Monday');
    await expect
      .poll(() => admin.getByText('Pending Invites').locator('../..').textContent())
      .toContain('1');

    const member = await join(mailedPath(email), email, withMail.url);
    const name = `Person ${email.slice(0, 4)}`;
    await rowOf(admin, name).getByText('Now').waitFor();
    await chooseFromMenu(admin, name, 'Edit Role');
    await field(admin, 'role').selectOption('Editor');
    await dialog(admin).getByText('Manages knowledge base and creates content').waitFor();
    await press(dialog(admin), 'Save role');
    await toast(admin, `Role of ${name} changed`);
    await rowOf(admin, name).getByText('Editor').waitFor();
    await member.goto('/knowledge');
    await member.getByRole('button', { name: 'Add Article' }).first().waitFor();

    await chooseFromMenu(admin, name, 'Remove Member');
    await admin
      .getByRole('alertdialog')
      .getByText(/signed out immediately/)
      .waitFor();
    await press(admin.getByRole('alertdialog'), 'Remove Member');
    await toast(admin, `${name} was removed`);
    await rowOf(admin, name).getByText('Deactivated').waitFor();
    await member.goto('/dashboard');
    await member.waitForURL(/\/auth/);

    await press(admin, 'Undo');
    await toast(admin, `${name} was reactivated`);
    await chooseFromMenu(admin, name, 'Remove Member');
    await press(admin.getByRole('alertdialog'), 'Remove Member');
    await rowOf(admin, name).getByText('Deactivated').waitFor();
    await chooseFromMenu(admin, name, 'Reactivate');
    await toast(admin, `${name} was reactivated`);
    await rowOf(admin, name).getByText('Active', { exact: true }).waitFor();

    await field(member, 'email').fill(email);
    await field(member, 'password').fill(password);
    await press(member, /^Sign In$/);
    await member.waitForURL('**/dashboard');
    await chooseFromMenu(admin, name, 'History');
    for (const happened of [
      'Member joined',
      'Role changed',
      'Member removed',
      'Member reactivated',
    ]) {
      await dialog(admin).getByText(happened).first().waitFor();
    }
  });

  it('that refuses an address is reported, and the invitation is resent, and revoked', async () => {
    const admin = await teamPage('Quarry', withMail.url);
    const email = someone();
    server.behave('refuses the recipient');
    await inviteByMail(admin, email, '');
    await rowOf(admin, email).getByText('Failed').waitFor();
    await rowOf(admin, email)
      .getByText(/there is no such mailbox/)
      .waitFor();
    server.behave('takes');
    await chooseFromMenu(admin, email, 'Resend');
    await toast(admin, 'Invitation sent');
    await rowOf(admin, email).getByText('Sent', { exact: true }).waitFor();
    await rowOf(admin, email).getByText('Resent 1 time').waitFor();
    const path = mailedPath(email);

    await admin.getByRole('link', { name: 'Outbox' }).click();
    await admin.getByRole('heading', { name: 'Join Quarry on Tallyhand' }).first().waitFor();
    await press(admin, `Show text of the email to ${email}`);
    await admin
      .getByText(/You’ve been invited to join Quarry/)
      .first()
      .waitFor();
    await admin.getByRole('link', { name: 'Back to team' }).click();

    await chooseFromMenu(admin, email, 'Revoke');
    await press(admin.getByRole('alertdialog'), 'Revoke');
    await toast(admin, 'Invitation revoked');
    const late = await browser.newPage(withMail.url);
    await late.goto(path);
    await late.getByText(/This invitation has been revoked/).waitFor();
  });
});

describe('the data of former members', () => {
  it('is erased by a rule, which a legal hold delays', async () => {
    const admin = await teamPage('Harbour Archive');
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
    await expectAccessible(admin);

    await press(admin, 'Lift legal hold');
    await press(admin.getByRole('alertdialog'), 'Lift hold');
    await toast(admin, 'Legal hold lifted');
    await admin.getByRole('button', { name: 'Place legal hold' }).waitFor();
  });
});
