import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestProduct, type TestProduct } from '../testing/product.ts';
import { openBrowser, type TestBrowser } from './browser.ts';
import {
  dialog,
  dialogIsGone,
  field,
  fillRegistration,
  press,
  registered,
  someone,
  toast,
} from './steps.ts';

let product: TestProduct;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

type Role = 'Admin' | 'Editor' | 'AgentManager' | 'Viewer';

/** The team page of a new organization, for its Admin. */
async function teamPage(organization: string): Promise<Page> {
  const page = await browser.newPage(product.url, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await registered(page, organization);
  await page.goto('/team');
  await page.getByText('No open invitations.').waitFor();
  return page;
}

/** Makes an invitation in the dialog and gives the path of its link. */
async function invite(admin: Page, email: string, role: Role): Promise<string> {
  await press(admin, 'Invite Member');
  await field(admin, 'email').fill(email);
  await field(admin, 'role').selectOption(role);
  await press(dialog(admin), 'Create invitation');
  await dialog(admin).getByText('Invitation ready').waitFor();
  const { pathname, search } = new URL(await dialog(admin).getByRole('textbox').inputValue());
  await press(dialog(admin), 'Done');
  await dialogIsGone(admin);
  return pathname + search;
}

async function join(path: string, email: string): Promise<Page> {
  const page = await browser.newPage(product.url);
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

describe('a team', () => {
  it('grows by invitations that only their address can use', async () => {
    const admin = await teamPage('Harbour Books');
    await press(admin, 'Invite Member');
    await press(dialog(admin), 'Create invitation');
    await dialog(admin).getByText('Please enter a valid email address').waitFor();
    await press(dialog(admin), 'Cancel');
    const email = someone();
    const path = await invite(admin, email, 'Editor');
    await admin.getByRole('button', { name: `Revoke the invitation of ${email}` }).waitFor();

    const stranger = await browser.newPage(product.url);
    await stranger.goto(path);
    expect(await field(stranger, 'organizationName').inputValue()).toBe('Harbour Books');
    expect(await field(stranger, 'organizationName').getAttribute('readonly')).not.toBeNull();
    await fillRegistration(stranger, { email: someone() });
    await toast(stranger, 'Registration failed');
    await toast(stranger, /issued to another e-mail address/);

    const editor = await join(path, email);
    await editor.getByText('Harbour Books').first().waitFor();
    // The Admin's page hears of the new member without being loaded again.
    await admin.getByText(`Person ${email.slice(0, 4)}`).waitFor();
    await admin.getByText('Accepted').waitFor();
    browser.expectNoComplaints();
  });

  it('shows each role what it may do, and the restricted card in place of the team', async () => {
    const admin = await teamPage('Hill Farm');
    const rights = {
      Admin: { agents: true, articles: true },
      Editor: { agents: true, articles: true },
      AgentManager: { agents: true, articles: false },
      Viewer: { agents: false, articles: false },
    };
    const found: Record<string, { agents: boolean; articles: boolean }> = {};
    for (const role of ['Admin', 'Editor', 'AgentManager', 'Viewer'] as const) {
      const email = someone();
      const page = await join(await invite(admin, email, role), email);
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
    browser.expectNoComplaints();
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
    await late.getByText("This invitation can't be used").waitFor();
    browser.expectNoComplaints();
  });
});
