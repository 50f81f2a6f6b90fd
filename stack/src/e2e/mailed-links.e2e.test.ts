import {
  getCurrentUser,
  signIn as signInEndpoint,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import { apiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import { type MailServer, mailThrough, startMailServer } from '@tallyhand/test-kit/mail-server';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mailedToken, mailsTo } from '../testing/mailed-links.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { signIn } from './account-acts.ts';
import { openBrowser, pageOf } from './browser.ts';
import {
  chooseFromMenu,
  dialog,
  dialogIsGone,
  field,
  password,
  press,
  registered,
  someone,
  toast,
} from './steps.ts';

const newPassword = 'another horse battery';
/** So many wrong passwords from an unknown device are checked. */
const GUESSES = 5;

let mail: MailServer;
let product: OwnProduct;
const browser = openBrowser();
beforeAll(async () => {
  mail = await startMailServer();
  product = await startTestProduct({ rateLimitScale: 1, mail: mailThrough(mail) });
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

/** The path of the newest link of a kind that was mailed to an address. */
const mailedPath = async (email: string, kind: 'reset' | 'undo' | 'device') =>
  `/auth?${kind}=${await mailedToken(mail, { email, kind })}`;

const visitor = () => browser.newPage(product.url);

async function setPassword(page: Page) {
  await field(page, 'newPassword').fill(newPassword);
  await field(page, 'confirmPassword').fill(newPassword);
  await press(page, 'Set new password');
}

/** Sets a forgotten password by the link of a mail, which works once. */
async function resetPassword(page: Page, email: string) {
  await page.goto('/auth');
  await press(page, 'Forgot password?');
  // Until the page has changed, the visible form is still the one of signing in.
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  await field(page, 'email').fill(email);
  await press(page, 'Send link');
  await page.getByText('Check your email').waitFor();
  const path = await mailedPath(email, 'reset');
  await page.goto(path);
  await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
  await expect.poll(() => page.url()).not.toContain('reset=');
  await field(page, 'newPassword').fill('qwertyuiop');
  await field(page, 'confirmPassword').fill(newPassword);
  await page.getByText('lists of leaked passwords').waitFor();
  await setPassword(page);
  await toast(page, 'Password changed');
  await field(page, 'email').waitFor();
  await page.goto(path);
  await setPassword(page);
  await toast(page, 'This link is invalid or has expired');
}

/** Others' guesses throttle the new password, and the link of a mail lets this browser in. */
async function enterByDeviceLink(page: Page, email: string) {
  for (let guess = 1; guess < GUESSES; guess += 1) {
    await apiClient(product.url).call(signInEndpoint, { body: { email, password: 'a guess' } });
  }
  await press(page, 'Sign In');
  await signIn(page, email, 'a wrong password');
  await toast(page, 'Incorrect email address or password');
  await signIn(page, email, newPassword);
  const wait = page.getByText('Too many failed attempts');
  await wait.waitFor();
  await expect.poll(() => wait.count()).toBe(1);
  await press(page, 'Send link');
  await page.getByText('Open it in this browser').waitFor();
  await page.goto(await mailedPath(email, 'device'));
  await page.getByRole('heading', { name: 'Sign in from this device?' }).waitFor();
  await expect.poll(() => page.url()).not.toContain('device=');
  await press(page, 'Allow this browser to sign in');
  await toast(page, 'This browser can sign in now');
  await signIn(page, email, newPassword);
  await page.waitForURL('**/dashboard');
}

describe('a member who cannot sign in', () => {
  it('sets a forgotten password by a mailed link, once, and is let in by another', async () => {
    const { client, user } = await registerOrganization(product.url);
    const page = await visitor();
    await resetPassword(page, user.email);
    expect((await client.call(getCurrentUser)).status).toBe(401);
    await enterByDeviceLink(page, user.email);
  });
});

describe('settings', () => {
  it('change name and address, with undo from the old address', async () => {
    const { client, user } = await registerOrganization(product.url);
    const page = await pageOf(client, product.url, browser);
    const thief = someone();
    await page.goto('/settings?tab=profile');
    await field(page, 'username').fill('Anna Bergmann');
    await field(page, 'email').fill(thief);
    await press(page, 'Save changes');
    await page.getByText('Please enter your password').waitFor();
    await field(page, 'currentPassword').fill(password);
    await press(page, 'Save changes');
    await toast(page, 'Profile updated');
    const saved = await (await page.request.get(getCurrentUser.path)).json();
    expect(saved).toMatchObject({ email: thief, username: 'Anna Bergmann' });

    const owner = await visitor();
    await owner.goto(await mailedPath(user.email, 'undo'));
    await press(owner, 'Undo the change');
    await owner.getByText('Your email address is restored').waitFor();
    expect((await client.call(getCurrentUser)).status).toBe(401);
    const body = { email: user.email, password };
    expect((await apiClient(product.url).call(signInEndpoint, { body })).status).toBe(200);
  });
});

describe('an invitation by mail', () => {
  /** The path of the link in the newest mail to the address. */
  function invitationPath(email: string): string {
    const text = mailsTo(mail, email).at(-1)?.text ?? '';
    const url = /https?:\/\/\S+\/auth\?invite=[\w.-]+/.exec(text)?.[0];
    if (!url) throw new Error('The mail has no link');
    return new URL(url).pathname + new URL(url).search;
  }

  it('is reported where the address is refused, sent again, in the outbox, and revoked', async () => {
    const admin = await browser.newPage(product.url);
    await registered(admin, 'Quarry');
    await admin.goto('/team');
    const email = someone();
    const row = admin.locator('[data-row]', { hasText: email });
    mail.behave('refuses the recipient');
    await press(admin, 'Invite Member');
    await field(admin, 'email').fill(email);
    await field(admin, 'role').selectOption('Viewer');
    await field(admin, 'message').fill('We start on Monday');
    await press(dialog(admin), /^Invite$/);
    await dialogIsGone(admin);
    await toast(admin, 'Invitation sent');
    await row.getByText('Failed').waitFor();
    await row.getByText(/there is no such mailbox/).waitFor();

    mail.behave('takes');
    await chooseFromMenu(admin, email, 'Resend');
    await toast(admin, 'Invitation sent');
    await row.getByText('Sent', { exact: true }).waitFor();
    await row.getByText('Resent 1 time').waitFor();
    expect(mailsTo(mail, email).at(-1)?.text).toContain('> We start on Monday');
    await expect
      .poll(() => admin.getByText('Pending Invites').locator('../..').textContent())
      .toContain('1');

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
    const late = await visitor();
    await late.goto(invitationPath(email));
    await late.getByText(/This invitation has been revoked/).waitFor();
  });
});
