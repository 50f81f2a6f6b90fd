import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestProduct, type TestProduct } from '../testing/product.ts';
import { expectAccessible, openBrowser, type TestBrowser } from './browser.ts';

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

const field = (page: Page, name: string) => page.locator(`form:visible [name="${name}"]`);

async function signUp(page: Page, person: { email: string; organization?: string }, path: string) {
  await page.goto(path);
  if (person.organization) await field(page, 'organizationName').fill(person.organization);
  await field(page, 'username').fill(`Person ${person.email.slice(0, 4)}`);
  await field(page, 'email').fill(person.email);
  await field(page, 'password').fill('correct horse battery');
  await field(page, 'confirmPassword').fill('correct horse battery');
  await page.getByRole('button', { name: 'Create Account' }).click();
}

/** How far the page is wider than its window; run in the page. */
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

const someone = () => `${randomUUID()}@example.com`;

describe('a team', () => {
  it('grows by an invitation that only its address can use, with the role that it names', async () => {
    const admin = await browser.newPage(product.url);
    await signUp(admin, { email: someone(), organization: 'Harbour Books' }, '/auth?tab=register');
    await admin.waitForURL('**/dashboard');
    await admin.getByRole('link', { name: 'Team', exact: true }).click();
    await admin.getByText('No open invitations.').waitFor();
    await expectAccessible(admin);

    const invited = someone();
    await admin.getByRole('button', { name: 'Invite Member' }).click();
    const dialog = admin.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create invitation' }).click();
    await dialog.getByText('Please enter a valid email address').waitFor();
    await field(admin, 'email').fill(invited);
    await field(admin, 'role').selectOption('Editor');
    await dialog.getByRole('button', { name: 'Create invitation' }).click();
    await dialog.getByText('Invitation ready').waitFor();
    await expectAccessible(admin);
    const text = await dialog.locator('input[readonly]').inputValue();
    const link = new URL(text);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await admin.getByText(invited).first().waitFor();

    const stranger = await browser.newPage(product.url);
    await signUp(stranger, { email: someone() }, link.pathname + link.search);
    await stranger.getByText('Registration failed').first().waitFor();
    await stranger
      .getByText(/issued to another e-mail address/)
      .first()
      .waitFor();

    const editor = await browser.newPage(product.url);
    await signUp(editor, { email: invited }, link.pathname + link.search);
    await editor.waitForURL('**/dashboard');
    await editor.getByText('Harbour Books').first().waitFor();
    await editor.goto('/team');
    await editor
      .getByText('Only organization admins can manage team members and invitations.')
      .waitFor();
    await expectAccessible(editor);
    await editor.goto('/knowledge');
    await editor.getByRole('button', { name: 'Add Article' }).first().waitFor();

    // The Admin's page hears of the new member without being loaded again.
    await admin.getByText(`Person ${invited.slice(0, 4)}`).waitFor();
    browser.expectNoComplaints();
  });

  it('shows a Viewer what there is, and none of what they may not do', async () => {
    const admin = await browser.newPage(product.url);
    await signUp(admin, { email: someone(), organization: 'Hill Farm' }, '/auth?tab=register');
    await admin.waitForURL('**/dashboard');
    const link = await admin.evaluate(async () => {
      const response = await fetch('/api/invitations/link', { method: 'POST' });
      return ((await response.json()) as { url: string }).url;
    });
    const viewer = await browser.newPage(product.url);
    const { pathname, search } = new URL(link);
    await signUp(viewer, { email: someone() }, pathname + search);
    await viewer.waitForURL('**/dashboard');
    await viewer.goto('/agents');
    await viewer.getByText('No agents yet').waitFor();
    expect(await viewer.getByRole('button', { name: 'Create Agent' }).count()).toBe(0);
    await viewer.goto('/knowledge');
    await viewer.getByText('No articles yet').waitFor();
    expect(await viewer.getByRole('button', { name: 'Add Article' }).count()).toBe(0);
  });
});

describe.each(['light', 'dark'] as const)('every page in the %s theme', (colorScheme) => {
  it.each([1440, 375])('stands in nobody’s way at %i px', async (width) => {
    const page = await browser.newPage(product.url, {
      colorScheme,
      viewport: { width, height: 900 },
    });
    for (const path of ['/', '/auth', '/auth?tab=register', '/nowhere']) {
      await page.goto(path);
      await expectAccessible(page);
    }
    await signUp(page, { email: someone(), organization: 'North' }, '/auth?tab=register');
    await page.waitForURL('**/dashboard');
    for (const path of ['/dashboard', '/agents', '/knowledge', '/tasks', '/team']) {
      await page.goto(path);
      await expectAccessible(page);
      const overflow = await page.evaluate(OVERFLOW);
      expect(overflow).toBe(0);
    }
    await page.context().close();
  });
});
