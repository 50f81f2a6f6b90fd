import { readFile } from 'node:fs/promises';
import { signIn as signInEndpoint } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { apiClient } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { setUpSecondFactor, signIn } from './account-acts.ts';
import { expectAccessible, openSuite } from './browser.ts';
import { dialog, field, password, press, registered, toast } from './steps.ts';

const newPassword = 'another horse battery';

const { product, browser } = await openSuite();

const visitor = () => browser.newPage(product.url);

async function member() {
  const page = await visitor();
  const { email } = await registered(page, 'Harbour Books');
  return { page, email };
}

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
    await page.goto('/auth');
    await signIn(page, 'anna@example.com', password);
    await page.getByText('npm run device-link -- anna@example.com').waitFor();
    await page.getByText('ask the operator of this server for a link').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Send link' }).count()).toBe(0);
    await expectAccessible(page);
  });
});

/** Tries twice in vain: with another repetition, and with a wrong present password. */
async function changePassword(page: Page) {
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
}

/** Signs in with the new password, then with a recovery code, after a wrong one. */
async function signInWithCode(page: Page, email: string, code: string) {
  await signIn(page, email, newPassword);
  await field(page, 'code').fill('000000');
  await page.locator('form:visible button[type="submit"]').click();
  await page.getByText('Wrong code, or it was already used').first().waitFor();
  await expectAccessible(page);
  await field(page, 'code').fill(code);
  await page.locator('form:visible button[type="submit"]').click();
  await page.waitForURL('**/dashboard');
}

const mails = (page: Page) => page.getByRole('switch', { name: 'Email notifications' });

async function switchMailsOff(page: Page) {
  await page.getByRole('tab', { name: 'Notifications' }).click();
  await expect.poll(() => mails(page).isChecked()).toBe(true);
  await mails(page).click();
  await toast(page, 'Notification preferences saved');
}

/** Loads the settings, which show what is stored. */
async function expectLoaded(page: Page, email: string) {
  await page.goto('/settings?tab=security');
  await page.getByText('9 recovery codes left').waitFor();
  await page.getByRole('tab', { name: 'Notifications' }).click();
  await expect.poll(() => mails(page).isChecked()).toBe(false);
  await page.getByRole('tab', { name: 'Profile' }).click();
  await expect.poll(() => field(page, 'username').inputValue()).toBe('Anna Berg');
  await expect.poll(() => field(page, 'email').inputValue()).toBe(email);
}

describe('settings', () => {
  it('end other sign-ins, change the password, require a second factor, and are shown as saved after a load', async () => {
    const { page, email } = await member();
    const other = await visitor();
    const elsewhere = await other.request.post('/api/login', { data: { email, password } });
    expect(elsewhere.status()).toBe(200);
    await page.goto('/settings?tab=security');
    await page.getByText('This device').waitFor();
    await press(page, 'Sign out other devices');
    await toast(page, 'Other devices signed out');
    await other.goto('/dashboard');
    await other.waitForURL('**/auth');

    await changePassword(page);
    // The second factor asks for the password again.
    const codes = await setUpSecondFactor(page, newPassword);
    expect(codes).toHaveLength(10);
    await signInWithCode(other, email, codes[0] ?? '');
    await switchMailsOff(page);
    await expectLoaded(page, email);
  });

  it('show the balance, hand out the data of a member as one file, and erase the account', async () => {
    const { page, email } = await member();
    await page.goto('/dashboard');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'Billing' }).click();
    await page.getByText('100 credits remaining').waitFor();
    await page.getByRole('link', { name: 'Add Credits' }).click();
    await page.waitForURL('**/billing');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'Security' }).click();

    const coming = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download my data' }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toBe('my-data.json');
    const own = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(own.account.email).toBe(email);
    expect(own.events.length).toBeGreaterThan(0);

    await press(page, 'Erase my account');
    await field(page, 'password').fill('not this one');
    await press(dialog(page), 'Erase permanently');
    await dialog(page).getByText('Incorrect password').waitFor();
    await field(page, 'password').fill(password);
    await press(dialog(page), 'Erase permanently');
    await page.waitForURL((url) => url.pathname === '/');
    const again = await apiClient(product.url).call(signInEndpoint, { body: { email, password } });
    expect(again.status).toBe(401);
  });
});
