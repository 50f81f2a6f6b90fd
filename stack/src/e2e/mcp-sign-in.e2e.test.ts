import { freePort } from '@tallyhand/service-kit/free-port';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AuthorizationServer,
  authorizationServer,
  protectedMcpServer,
} from '../testing/oauth-server.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { expectAccessible, openBrowser } from './browser.ts';
import { chooseFromMenu, dialog, dialogIsGone, field, press, registered, toast } from './steps.ts';

let product: OwnProduct;
let authority: AuthorizationServer;
let server: Awaited<ReturnType<typeof protectedMcpServer>>;
const browser = openBrowser();

beforeAll(async () => {
  const port = await freePort();
  // The authorization server leads the browser back to the public address.
  const publicUrl = `http://127.0.0.1:${port}`;
  product = await startTestProduct({ port, publicUrl, allowPrivateHosts: '127.0.0.1' });
  authority = await authorizationServer([
    {
      client_id: 'by-hand',
      client_secret: 'a-secret-of-the-client-by-hand',
      redirect_uris: [`${publicUrl}/tools/signed-in`],
    },
  ]);
  server = await protectedMcpServer([{ name: 'find_stock', description: 'Finds.' }], authority);
});
afterAll(async () => {
  for (const one of [product, server, authority]) await one[Symbol.asyncDispose]();
});

// The pages of the authorization server load a font from elsewhere.
beforeEach(() => browser.mayComplain(/ERR_NAME_NOT_RESOLVED/));

describe('an MCP server that demands a sign-in', () => {
  it('is signed in at on the page of its authorization server, which gets a client secret only after a confirmation', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    await page.goto('/tools');
    await press(page, 'Add Tool');
    await field(page, 'name').fill('Warehouse');
    await field(page, 'description').fill('Knows what is in stock');
    await field(page, 'authType').selectOption('bearer');
    const kinds = () => field(page, 'authType').locator('option').allTextContents();
    expect(await kinds()).not.toContain('OAuth (sign in)');
    await field(page, 'type').selectOption('mcp');
    await field(page, 'authType').selectOption('oauth');
    await dialog(page).getByText(`${product.url}/tools/signed-in`).waitFor();
    await expectAccessible(page);
    await press(dialog(page), 'Add Tool');
    await dialog(page).getByText('http or https address only').waitFor();
    await field(page, 'baseUrl').fill(server.url);
    await press(dialog(page), 'Add Tool');
    await dialogIsGone(page);

    const card = page.getByRole('article', { name: 'Warehouse' });
    await press(card, 'Sign In');
    await page.waitForURL(`${authority.issuer}/**`);
    await page.locator('[name="login"]').fill('anna');
    await page.locator('[name="password"]').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await toast(page, 'Signed in: Warehouse');
    await page.waitForURL(`${product.url}/tools`);
    await press(card, 'Choose Tools');
    await dialog(page).getByText('0 of 1 tools on').waitFor();
    await page.keyboard.press('Escape');
    await dialogIsGone(page);

    await page.goto('/tools/signed-in?state=invented&code=one');
    await page.getByText("This sign-in isn't known").waitFor();
    await page.waitForURL(`${product.url}/tools/signed-in`);
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Back to tools' }).click();
    await authority.revoke([...server.tokens].at(-1) ?? '');
    await chooseFromMenu(page, 'Warehouse', 'Choose Tools');
    await dialog(page).getByText('sign in again').waitFor();
    await dialog(page).getByRole('button', { name: 'Sign In' }).waitFor();
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    await card.getByText('Sign in again').waitFor();
    await chooseFromMenu(page, 'Warehouse', 'Edit');
    await dialog(page).getByText('no longer accepts the sign-in').waitFor();
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    await page.getByRole('button', { name: /^Notifications/ }).click();
    await dialog(page).getByText('Warehouse is no longer signed in').waitFor();
    await page.keyboard.press('Escape');
    await dialogIsGone(page);

    // A client secret goes only to an authorization server that the member confirms.
    await press(page, 'Add Tool');
    await field(page, 'name').fill('Quarry');
    await field(page, 'description').fill('Knows what is in stock');
    await field(page, 'type').selectOption('mcp');
    await field(page, 'authType').selectOption('oauth');
    await field(page, 'baseUrl').fill(server.url);
    await field(page, 'credentials.clientId').fill('by-hand');
    await field(page, 'credentials.clientSecret').fill('a-secret-of-the-client-by-hand');
    await press(dialog(page), 'Add Tool');
    await dialogIsGone(page);

    const quarry = page.getByRole('article', { name: 'Quarry' });
    const asked = page.getByRole('alertdialog', {
      name: `Sign in at ${new URL(authority.issuer).host}?`,
    });
    await press(quarry, 'Sign In');
    await asked.waitFor();
    await expectAccessible(page);
    await press(asked, 'Cancel');
    await asked.waitFor({ state: 'hidden' });
    await page.waitForURL(`${product.url}/tools`);

    await chooseFromMenu(page, 'Quarry', 'Sign In');
    await press(asked, 'Continue');
    await page.waitForURL(`${authority.issuer}/**`);
  });
});
