import { readFile } from 'node:fs/promises';
import { signIn as signInEndpoint } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { type MailServer, mailThrough, startMailServer } from '@tallyhand/test-kit/mail-server';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mailedToken } from '../testing/mailed-links.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { settings, setUpSecondFactor } from './account-acts.ts';
import { expectAccessible, openBrowser } from './browser.ts';
import { dialog, field, password, press, registered, someone, toast } from './steps.ts';

const newPassword = 'another horse battery';

let mail: MailServer;
let product: OwnProduct;
const browser = openBrowser();
beforeAll(async () => {
  mail = await startMailServer();
  product = await startTestProduct({
    rateLimitScale: 1,
    mail: mailThrough(mail),
  });
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

/** The path of the newest link of a kind that was mailed to an address. */
const mailedPath = async (email: string, kind: 'reset' | 'undo' | 'device') =>
  `/auth?${kind}=${await mailedToken(mail, { email, kind })}`;

async function signIn(page: Page, email: string, secret: string) {
  await page.goto('/auth');
  await field(page, 'email').fill(email);
  await field(page, 'password').fill(secret);
  await page.locator('form:visible button[type="submit"]').click();
}

const visitor = () => browser.newPage(product.url);

async function member() {
  const page = await visitor();
  const { email } = await registered(page, 'Harbour Books');
  return { page, email };
}

describe('a member who forgot the password', () => {
  it('sets a new one by a mailed link, whose token leaves the address immediately', async () => {
    const { page: before, email } = await member();
    const page = await visitor();
    await page.goto('/auth');
    await press(page, 'Forgot password?');
    // Until the page has changed, the visible form is still the one of signing in.
    await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
    await expectAccessible(page);
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
    await expectAccessible(page);
    await field(page, 'newPassword').fill(newPassword);
    await press(page, 'Set new password');
    await toast(page, 'Password changed');
    await signIn(page, email, newPassword);
    await page.waitForURL('**/dashboard');
    await before.goto('/dashboard');
    await before.waitForURL('**/auth');
    const again = await visitor();
    await again.goto(path);
    await field(again, 'newPassword').fill(newPassword);
    await field(again, 'confirmPassword').fill(newPassword);
    await press(again, 'Set new password');
    await toast(again, 'This link is invalid or has expired');
  });
});

describe("a member who is throttled by others' failed attempts", () => {
  it('is let in by a link in a mail, in the browser that opens it', async () => {
    const { email } = await member();
    const page = await visitor();
    for (let i = 0; i < 5; i += 1) {
      await signIn(page, email, 'a wrong password');
      await toast(page, 'Incorrect email address or password');
    }
    await signIn(page, email, password);
    const wait = page.getByText('Too many failed attempts');
    await wait.waitFor();
    await expect.poll(() => wait.count()).toBe(1);
    await expectAccessible(page);
    await press(page, 'Send link');
    await page.getByText('Open it in this browser').waitFor();
    await page.goto(await mailedPath(email, 'device'));
    await page.getByRole('heading', { name: 'Sign in from this device?' }).waitFor();
    await expect.poll(() => page.url()).not.toContain('device=');
    await expectAccessible(page);
    await press(page, 'Allow this browser to sign in');
    await toast(page, 'This browser can sign in now');
    await field(page, 'email').fill(email);
    await field(page, 'password').fill(password);
    await page.locator('form:visible button[type="submit"]').click();
    await page.waitForURL('**/dashboard');
  });
});

describe('a throttled member of a server without mail', () => {
  it('is shown the command of the operator, and no link is offered', async () => {
    const page = await visitor();
    await page.route(`**${signInEndpoint.path}`, (route) =>
      route.fulfill({
        status: 429,
        json: {
          type: 'about:blank',
          title: 'Too many attempts',
          status: 429,
          detail: '…',
          code: 'too-many-attempts',
          params: { retryAfterSeconds: 900, deviceLink: 'by-operator' },
        },
      }),
    );
    await signIn(page, 'anna@example.com', password);
    await page.getByText('npm run device-link -- anna@example.com').waitFor();
    await page.getByText('ask the operator of this server for a link').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Send link' }).count()).toBe(0);
    await expectAccessible(page);
  });
});

describe('settings', () => {
  it('change name and address, with undo from the old address', async () => {
    const { page, email } = await member();
    const thief = someone();
    await settings(page, 'Profile');
    await field(page, 'username').fill('Anna Bergmann');
    await field(page, 'email').fill(thief);
    await press(page, 'Save changes');
    await page.getByText('Please enter your password').waitFor();
    await field(page, 'currentPassword').fill(password);
    await press(page, 'Save changes');
    await toast(page, 'Profile updated');
    await expectAccessible(page);
    await page.reload();
    await expect.poll(() => field(page, 'email').inputValue()).toBe(thief);
    await expect.poll(() => field(page, 'username').inputValue()).toBe('Anna Bergmann');
    const owner = await visitor();
    await owner.goto(await mailedPath(email, 'undo'));
    await expectAccessible(owner);
    await press(owner, 'Undo the change');
    await owner.getByText('Your email address is restored').waitFor();
    await page.goto('/dashboard');
    await page.waitForURL('**/auth');
    await signIn(owner, email, password);
    await owner.waitForURL('**/dashboard');
  });

  it('change the password, report mismatches, and end other sign-ins', async () => {
    const { page, email } = await member();
    const other = await visitor();
    await signIn(other, email, password);
    await other.waitForURL('**/dashboard');
    await settings(page, 'Security');
    await page.getByText('This device').waitFor();
    await expectAccessible(page);
    await press(page, 'Sign out other devices');
    await toast(page, 'Other devices signed out');
    await other.goto('/dashboard');
    await other.waitForURL('**/auth');
    await field(page, 'currentPassword').fill(password);
    await field(page, 'newPassword').fill(newPassword);
    await field(page, 'confirmPassword').fill('something else');
    await press(page, 'Change password');
    await toast(page, 'Password mismatch');
    await toast(page, 'New passwords do not match.');
    await field(page, 'confirmPassword').fill(newPassword);
    await field(page, 'currentPassword').fill('not this one');
    await press(page, 'Change password');
    await toast(page, 'Password change failed');
    await field(page, 'currentPassword').fill(password);
    await press(page, 'Change password');
    await toast(page, 'Password changed');
    await signIn(other, email, newPassword);
    await other.waitForURL('**/dashboard');
  });

  it('keep notification preferences', async () => {
    const { page } = await member();
    await settings(page, 'Notifications');
    const mails = page.getByRole('switch').first();
    await mails.waitFor();
    await expectAccessible(page);
    await expect.poll(() => mails.getAttribute('aria-checked')).toBe('true');
    await mails.click();
    await page.reload();
    await expect.poll(() => mails.getAttribute('aria-checked')).toBe('false');
  });

  it('show the true balance and lead to billing', async () => {
    const { page } = await member();
    await settings(page, 'Billing');
    await page.getByText('100 credits remaining').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Add Credits' }).click();
    await page.waitForURL('**/billing');
  });
});

describe('a second factor', () => {
  it('is set up, required, and replaced by a recovery code', async () => {
    const { page, email } = await member();
    const codes = await setUpSecondFactor(page);
    expect(codes).toHaveLength(10);
    const [code = ''] = codes;

    const other = await visitor();
    await signIn(other, email, password);
    await field(other, 'code').fill('000000');
    await other.locator('form:visible button[type="submit"]').click();
    await other.getByText('Wrong code, or it was already used').first().waitFor();
    await expectAccessible(other);
    await field(other, 'code').fill(code);
    await other.locator('form:visible button[type="submit"]').click();
    await other.waitForURL('**/dashboard');
    await page.reload();
    await page.getByText('9 recovery codes left').waitFor();
  });
});

describe('the data of a member', () => {
  it('is downloaded as one file', async () => {
    const { page, email } = await member();
    await settings(page, 'Security');
    const coming = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download my data' }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toBe('my-data.json');
    const own = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(own.account.email).toBe(email);
    expect(own.events.length).toBeGreaterThan(0);
  });
});

describe('a member who erases their account', () => {
  it('asks for the password, and disappears', async () => {
    const { page, email } = await member();
    await settings(page, 'Security');
    await press(page, 'Erase my account');
    await expectAccessible(page);
    await field(page, 'password').fill('not this one');
    await press(dialog(page), 'Erase permanently');
    await dialog(page).getByText('Incorrect password').waitFor();
    await field(page, 'password').fill(password);
    await press(dialog(page), 'Erase permanently');
    await page.waitForURL((url) => url.pathname === '/');
    await signIn(page, email, password);
    await toast(page, 'Login failed');
  });
});
