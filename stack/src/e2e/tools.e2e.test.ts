import { randomUUID } from 'node:crypto';
import { type HttpServer, httpServer } from '@tallyhand/test-kit/http-server';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { expectAccessible, openBrowser } from './browser.ts';
import { chooseFromMenu, dialog, dialogIsGone, field, press, registered, toast } from './steps.ts';

let product: TestProduct;
const browser = openBrowser();
/** The server that the tools of the tests call. */
let shop: HttpServer;

beforeAll(async () => {
  shop = await httpServer(({ url, headers }, response) => {
    response.end(`${url} with ${headers.authorization}`);
  });
  product = await sharedProduct();
});
afterAll(() => shop[Symbol.asyncDispose]());

const orders = {
  name: 'Orders',
  description: 'Looks orders up in the shop',
  type: 'api',
  config: {
    baseUrl: 'https://shop.example.com/api',
    authType: 'bearer',
    extras: { 'x-shop': 'a' },
  },
};

const kept = { ...orders, authCredentials: { token: 'the-first-token' } };

/** Reads everything that the page is answered by the API from now on. */
async function answersOf(page: Page) {
  const bodies: string[] = [];
  await page.route('**/api/**', async (route) => {
    if (route.request().url().includes('/api/events')) return route.continue();
    const response = await route.fetch();
    bodies.push(await response.text());
    await route.fulfill({ response });
  });
  return () => bodies.join('\n');
}

/** A page of a new organization with the given tools, whose ids it returns. */
async function pageWith(...tools: object[]): Promise<{ page: Page; ids: string[] }> {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const ids: string[] = [];
  for (const data of tools) {
    ids.push((await (await page.request.post('/api/tools', { data })).json()).id);
  }
  return { page, ids };
}

const card = (page: Page, name: string) => page.getByRole('article', { name });
const toolOf = async (page: Page, id: string) =>
  (await page.request.get(`/api/tools/${id}`)).json();

async function fillAbout(page: Page, name: string, type: string) {
  await press(page, 'Add Tool');
  await field(page, 'name').fill(name);
  await field(page, 'description').fill(`What ${name} is there for`);
  await field(page, 'type').selectOption(type);
}
const send = (page: Page) => press(dialog(page), 'Add Tool');
const save = (page: Page) => press(dialog(page), 'Save Changes');
const shows = (page: Page, text: string) => dialog(page).getByText(text).waitFor();

/** Adds an API by its form, after each of its faults was reported at its field. */
async function addApi(page: Page, token: string, openapi: string) {
  await press(page, 'Add Tool');
  await field(page, 'baseUrl').fill('shop');
  await field(page, 'authType').selectOption('bearer');
  await field(page, 'openapi').fill('{"openapi": ');
  await press(dialog(page), 'Add header');
  await field(page, 'headers.0.value').fill('larkfell');
  await send(page);
  await shows(page, 'Tool name must be at least 2 characters');
  await shows(page, 'Description must be at least 10 characters');
  await shows(page, 'Please enter a valid URL');
  await shows(page, 'Required for this authentication type');
  await shows(page, 'A name is required');
  await shows(page, 'This is not valid JSON');
  await expect.poll(() => page.locator(':focus').getAttribute('name')).toBe('name');
  await expectAccessible(page);

  await field(page, 'name').fill('Orders');
  await field(page, 'description').fill('Looks orders up in the shop');
  await field(page, 'baseUrl').fill('https://shop.example.com/api');
  await field(page, 'credentials.token').fill(token);
  await field(page, 'headers.0.name').fill('x-shop');
  await field(page, 'openapi').fill(openapi);
  await shows(page, '2 operations found.');
  await send(page);
  await dialogIsGone(page);
  await toast(page, 'Tool created');
}

/** Adds a script with a secret; Tab leaves the field of its text. */
async function addScript(page: Page, secret: string) {
  await fillAbout(page, 'Rates', 'custom');
  await expect.poll(() => field(page, 'baseUrl').count()).toBe(0);
  await field(page, 'script').fill('const rate = 2;\nreturn input * rate;');
  await page.keyboard.press('Tab');
  await expect.poll(() => page.locator(':focus').getAttribute('name')).toBe('authType');
  await press(dialog(page), 'Add secret');
  await field(page, 'secrets.0.name').fill('the key');
  await send(page);
  await shows(page, 'Use only letters, digits and _');
  await field(page, 'secrets.0.name').fill('key');
  await send(page);
  await shows(page, 'Must not be empty');
  await field(page, 'secrets.0.value').fill(secret);
  await send(page);
  await shows(page, 'Enter the hosts that the credentials can be sent to');
  await field(page, 'allowedHosts').fill('https://api.example.com/');
  await send(page);
  await dialogIsGone(page);
}

async function addBrowser(page: Page) {
  await fillAbout(page, 'Catalogue', 'browser');
  await expect.poll(() => field(page, 'baseUrl').count()).toBe(0);
  await field(page, 'startUrl').fill('catalogue');
  await send(page);
  await shows(page, 'Please enter a valid URL');
  await field(page, 'startUrl').fill('https://catalogue.example.com/tents');
  await send(page);
  await dialogIsGone(page);
}

describe('the tools page', () => {
  it('describes each type, and adds an API, a script and a browser, with each fault at its field and no secret shown again', async () => {
    const { page } = await pageWith();
    const answers = await answersOf(page);
    await page.goto('/tools');
    await page.getByText('No tools yet').waitFor();
    const types = page.getByRole('region', { name: 'Tool types' }).getByRole('listitem');
    await expect.poll(() => types.count()).toBe(4);
    await page.getByRole('link', { name: 'Tools' }).waitFor();
    await expectAccessible(page);

    const token = `token-${randomUUID()}`;
    const openapi = '{"openapi": "3.1.0", "paths": {"/orders": {"get": {}, "post": {}}}}';
    await addApi(page, token, openapi);
    for (const text of ['API', 'shop.example.com', 'Credentials stored: token', 'Version 1']) {
      await card(page, 'Orders').getByText(text).waitFor();
    }
    await expect.poll(() => page.content()).not.toContain(token);
    const secret = `secret-${randomUUID()}`;
    await addScript(page, secret);
    await card(page, 'Rates').getByText('Script, 2 lines').waitFor();
    await card(page, 'Rates').getByText('Credentials stored: key').waitFor();
    await expect.poll(() => page.content()).not.toContain(secret);
    await addBrowser(page);
    await card(page, 'Catalogue').getByText('catalogue.example.com').waitFor();

    await page.reload();
    await card(page, 'Orders').waitFor();
    const listed: { name: string }[] = await (await page.request.get('/api/tools')).json();
    expect(listed).toHaveLength(3);
    expect(listed.find(({ name }) => name === 'Orders')).toMatchObject({
      ...orders,
      config: { ...orders.config, extras: { 'x-shop': 'larkfell' }, openapi },
    });
    const all = `${answers()}${JSON.stringify(listed)}${await page.content()}`;
    expect(answers()).toContain('Looks orders up in the shop');
    expect(all).not.toContain(token);
    expect(all).not.toContain(secret);
  });
});

describe('a tool that is tested', () => {
  it('shows the real answer of an API, masked, and failures, what a script returns, and a page of a browser', async () => {
    const config = { ...orders.config, baseUrl: `${shop.origin}/api` };
    const script = 'return input.number * 2;';
    const startUrl = 'https://catalogue.example.com/tents';
    const { page } = await pageWith(
      { ...kept, config },
      { ...orders, name: 'Rates', type: 'custom', config: { extras: { script } } },
      { ...orders, name: 'Catalogue', type: 'browser', config: { extras: { startUrl } } },
    );
    await page.goto('/tools');
    const result = dialog(page).getByRole('region', { name: 'Result' });
    const closed = async () => {
      await press(dialog(page), 'Close');
      await dialogIsGone(page);
    };

    await chooseFromMenu(page, 'Orders', 'Test Tool');
    await field(page, 'input').fill('GET /orders/7');
    await press(dialog(page), 'Test Tool');
    await result.getByText('Succeeded').waitFor();
    await result.getByText('/api/orders/7 with Bearer [secret]').waitFor();
    await result.getByText('Status 200').waitFor();
    await expectAccessible(page);
    await field(page, 'input').fill('orders');
    await press(dialog(page), 'Test Tool');
    await result.getByText('Failed').waitFor();
    await result.getByText(/Write a request/).waitFor();
    expect(await page.content()).not.toContain('the-first-token');
    await closed();

    await chooseFromMenu(page, 'Rates', 'Test Tool');
    await shows(page, "The script's input");
    await field(page, 'input').fill('{"number": 21}');
    await press(dialog(page), 'Test Tool');
    await result.getByText('42', { exact: true }).waitFor();
    await expectAccessible(page);
    await closed();

    let asked: unknown;
    await page.route('**/api/tools/*/test', (route) => {
      asked = route.request().postDataJSON();
      const json = { success: true, output: 'Tents', error: null, status: null };
      return route.fulfill({ json: { ...json, executionTimeMs: 7 } });
    });
    await chooseFromMenu(page, 'Catalogue', 'Test Tool');
    await expect.poll(() => field(page, 'input').getAttribute('placeholder')).toBe(startUrl);
    await press(dialog(page), 'Test Tool');
    await result.getByText('Tents').waitFor();
    expect(asked).toEqual({ input: '' });
  });
});

describe('a tool that is edited', () => {
  it('keeps its credentials, sends only changed fields, and shows a refusal of the server at its field', async () => {
    const { page, ids } = await pageWith(kept);
    const id = ids[0] ?? '';
    await page.goto('/tools');
    await chooseFromMenu(page, 'Orders', 'Edit Tool');
    await shows(page, 'Stored: token');
    await expect.poll(() => field(page, 'baseUrl').inputValue()).toBe(orders.config.baseUrl);
    await expect.poll(() => field(page, 'headers.0.name').inputValue()).toBe('x-shop');
    await expect.poll(() => field(page, 'credentials.token').count()).toBe(0);

    // The server finds another fault than the form, which is right.
    await page.route('**/api/tools/*', (route) => {
      const config = { ...orders.config, authType: 'apikey' };
      return route.continue({ postData: JSON.stringify({ config }) });
    });
    await field(page, 'authType').selectOption('apikey');
    await field(page, 'credentials.apiKey').fill('a-key');
    await save(page);
    await shows(page, 'Required for this authentication type');
    await toast(page, 'Failed to update tool');
    await expect.poll(() => page.locator(':focus').getAttribute('name')).toBe('credentials.apiKey');
    await page.unroute('**/api/tools/*');
    await page.keyboard.press('Escape');
    await press(page.getByRole('alertdialog'), 'Discard');
    await dialogIsGone(page);

    const bodies: unknown[] = [];
    await page.route('**/api/tools/*', (route, request) => {
      if (request.method() === 'PUT') bodies.push(request.postDataJSON());
      return route.continue();
    });
    await chooseFromMenu(page, 'Orders', 'Edit Tool');
    await field(page, 'name').fill('Order lookup');
    await press(dialog(page), 'Replace');
    await expect.poll(() => field(page, 'credentials.token').inputValue()).toBe('');
    await shows(page, 'Leave empty to keep the stored values.');
    await save(page);
    await dialogIsGone(page);
    await toast(page, 'Tool updated');
    await card(page, 'Order lookup').getByText('Version 2').waitFor();
    expect(bodies).toEqual([{ name: 'Order lookup' }]);
    expect(await toolOf(page, id)).toMatchObject({ credentialNames: ['token'], version: 2 });

    await chooseFromMenu(page, 'Order lookup', 'Edit Tool');
    await press(dialog(page), 'Replace');
    await field(page, 'credentials.token').fill('the-second-token');
    await save(page);
    await dialogIsGone(page);
    expect(bodies.at(-1)).toMatchObject({
      config: { baseUrl: orders.config.baseUrl },
      authCredentials: { token: 'the-second-token' },
    });

    await chooseFromMenu(page, 'Order lookup', 'Edit Tool');
    await field(page, 'authType').selectOption('none');
    await shows(page, 'Saving deletes the stored credentials (token).');
    await save(page);
    await dialogIsGone(page);
    expect(await toolOf(page, id)).toMatchObject({ credentialNames: [] });
  });

  it('is loaded by a second try, restored from its history, warns before a change that removes its credentials, and is deleted and undeleted', async () => {
    const { page, ids } = await pageWith(kept);
    const id = ids[0] ?? '';
    await page.request.put(`/api/tools/${id}`, { data: { name: 'Purchases' } });
    await page.route('**/api/tools', (route) => route.fulfill({ status: 429, json: {} }));
    await page.goto('/tools');
    await page.getByText("Couldn't load this content").waitFor();
    await page.unroute('**/api/tools');
    await press(page, 'Try again');
    await card(page, 'Purchases').waitFor();

    await chooseFromMenu(page, 'Purchases', 'History');
    await shows(page, 'History of Purchases');
    await dialog(page).getByText('Orders').first().waitFor();
    await expectAccessible(page);
    await press(dialog(page), /^Restore this version/);
    await press(page.getByRole('alertdialog'), 'Restore version');
    await shows(page, 'History of Orders');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await card(page, 'Orders').getByText('Version 3').waitFor();
    expect(await toolOf(page, id)).toMatchObject({ credentialNames: ['token'] });
    expect(await page.content()).not.toContain('the-first-token');

    await chooseFromMenu(page, 'Orders', 'Edit Tool');
    await field(page, 'baseUrl').fill('https://other.example.com/api');
    await shows(page, "The stored credentials (token) belong to the tool's previous settings.");
    await expectAccessible(page);
    await save(page);
    await dialogIsGone(page);
    await toast(page, "The tool's credentials were removed. Enter them again.");
    await card(page, 'Orders').getByText('Enter the credentials again').waitFor();
    expect(await toolOf(page, id)).toMatchObject({ credentialNames: [], version: 4 });

    await chooseFromMenu(page, 'Orders', 'History');
    await dialog(page).getByText('Credentials removed').waitFor();
    await press(dialog(page), /^Restore this version/);
    await page.getByRole('alertdialog').getByText('need to enter them again').waitFor();
    await press(page.getByRole('alertdialog'), 'Cancel');
    await press(dialog(page), 'Close');
    await dialogIsGone(page);

    await chooseFromMenu(page, 'Orders', 'Edit Tool');
    await shows(page, 'because your change would have sent them to a different place');
    await field(page, 'credentials.token').fill('the-second-token');
    await save(page);
    await dialogIsGone(page);
    await card(page, 'Orders').getByText('Credentials stored: token').waitFor();
    await expect
      .poll(() => card(page, 'Orders').getByText('Enter the credentials again').count())
      .toBe(0);

    await chooseFromMenu(page, 'Orders', 'Delete Tool');
    await press(page.getByRole('alertdialog'), 'Delete Tool');
    await page.getByText('No tools yet').waitFor();
    await toast(page, 'Tool deleted');
    await press(page, 'Undo');
    await card(page, 'Orders').getByText('Credentials stored: token').waitFor();
    await toast(page, 'Tool restored');
  });
});
