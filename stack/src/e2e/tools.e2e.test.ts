import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { expectAccessible, openBrowser } from './browser.ts';
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

let product: TestProduct;
const browser = openBrowser();
/** The server that the tools of the tests call. */
let shop: Server;

beforeAll(async () => {
  shop = createServer(({ url, headers }, response) => {
    response.end(`${url} with ${headers.authorization}`);
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  product = await sharedProduct();
});
afterAll(() => {
  shop.closeAllConnections();
  shop.close();
});

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

/** Reads everything that the page is answered from now on. */
function answersOf(page: Page) {
  const bodies: Promise<string>[] = [];
  page.on('response', (response) => {
    const isStream = response.url().includes('/api/events');
    if (isStream || !response.url().includes('/api/')) return;
    bodies.push(response.text().catch(() => ''));
  });
  return async () => (await Promise.all(bodies)).join('\n');
}

/** The tools page of a new organization, with the given tool if any. */
async function toolsPage(tool?: object): Promise<{ page: Page; id: string }> {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const made = tool && (await (await page.request.post('/api/tools', { data: tool })).json());
  await page.goto('/tools');
  if (tool) await card(page, made.name).waitFor();
  else await page.getByText('No tools yet').waitFor();
  return { page, id: made?.id };
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

describe('the tools page', () => {
  it('describes each type of tool', async () => {
    const { page } = await toolsPage();
    const types = page.getByRole('region', { name: 'Tool types' }).getByRole('listitem');
    await expect.poll(() => types.count()).toBe(4);
    await page.getByRole('link', { name: 'Tools' }).waitFor();
    await expectAccessible(page);
  });

  it('adds an API, with each fault at its field, and never shows its credentials again', async () => {
    const { page } = await toolsPage();
    const answers = answersOf(page);
    const token = `token-${randomUUID()}`;

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
    const openapi = '{"openapi": "3.1.0", "paths": {"/orders": {"get": {}, "post": {}}}}';
    await field(page, 'openapi').fill(openapi);
    await shows(page, '2 operations found.');
    await send(page);
    await dialogIsGone(page);
    await toast(page, 'Tool created');

    for (const text of ['API', 'shop.example.com', 'Credentials stored: token', 'Version 1']) {
      await card(page, 'Orders').getByText(text).waitFor();
    }
    await page.reload();
    await card(page, 'Orders').waitFor();
    const listed = await (await page.request.get('/api/tools')).json();
    expect(listed).toMatchObject([
      { ...orders, config: { ...orders.config, extras: { 'x-shop': 'larkfell' }, openapi } },
    ]);
    const list = JSON.stringify(listed);
    expect(`${await answers()}${list}${await page.content()}`).not.toContain(token);
  });

  it('adds a script with its secrets; Tab leaves the field of its text', async () => {
    const { page } = await toolsPage();
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
    await field(page, 'secrets.0.value').fill('a-secret-of-the-script');
    await send(page);
    await shows(page, 'Enter the hosts that the credentials can be sent to');
    await field(page, 'allowedHosts').fill('https://api.example.com/');
    await send(page);
    await dialogIsGone(page);
    await card(page, 'Rates').getByText('Script, 2 lines').waitFor();
    await card(page, 'Rates').getByText('Credentials stored: key').waitFor();
    expect(await page.content()).not.toContain('a-secret-of-the-script');
  });

  it('adds a browser with its start page', async () => {
    const { page } = await toolsPage();
    await fillAbout(page, 'Catalogue', 'browser');
    await expect.poll(() => field(page, 'baseUrl').count()).toBe(0);
    await field(page, 'startUrl').fill('catalogue');
    await send(page);
    await shows(page, 'Please enter a valid URL');
    await field(page, 'startUrl').fill('https://catalogue.example.com/tents');
    await send(page);
    await dialogIsGone(page);
    await card(page, 'Catalogue').getByText('catalogue.example.com').waitFor();
  });

  it('can be tried again where the tools could not be loaded', async () => {
    const { page } = await toolsPage(kept);
    await page.route('**/api/tools', (route) => route.fulfill({ status: 429, json: {} }));
    await page.reload();
    await page.getByText("Couldn't load this content").waitFor();
    await page.unroute('**/api/tools');
    await press(page, 'Try again');
    await card(page, 'Orders').waitFor();
  });

  it('shows a Viewer the tools and their history, and nothing to do with them', async () => {
    const { page, id } = await toolsPage(kept);
    const invitation = { email: someone(), role: 'Viewer' };
    const { token } = await (
      await page.request.post('/api/invitations', { data: invitation })
    ).json();
    const viewer = await browser.newPage(product.url);
    const person = { email: invitation.email, username: 'Vera', password, invite: token };
    expect((await viewer.request.post('/api/register', { data: person })).status()).toBe(201);
    await viewer.goto('/tools');
    await card(viewer, 'Orders').waitFor();
    await press(viewer, 'Actions for Orders');
    await expect.poll(() => viewer.getByRole('menuitem').allInnerTexts()).toEqual(['History']);
    await viewer.getByRole('menuitem', { name: 'History' }).click();
    await shows(viewer, 'Created');
    await expect.poll(() => dialog(viewer).getByRole('button').count()).toBe(1);
    const refused = await viewer.request.delete(`/api/tools/${id}`);
    expect(refused.status()).toBe(403);
  });
});

describe('a tool that is tested', () => {
  it('shows the real answer, its credentials masked, and failures', async () => {
    const { port } = shop.address() as AddressInfo;
    const config = { ...orders.config, baseUrl: `http://127.0.0.1:${port}/api` };
    const { page } = await toolsPage({ ...kept, config });
    await chooseFromMenu(page, 'Orders', 'Test Tool');
    const result = dialog(page).getByRole('region', { name: 'Result' });
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
  });

  it('runs its script with the typed input', async () => {
    const script = 'return input.number * 2;';
    const config = { extras: { script } };
    const { page } = await toolsPage({ ...orders, type: 'custom', config });
    await chooseFromMenu(page, 'Orders', 'Test Tool');
    await shows(page, "The script's input");
    await field(page, 'input').fill('{"number": 21}');
    await press(dialog(page), 'Test Tool');
    await dialog(page)
      .getByRole('region', { name: 'Result' })
      .getByText('42', { exact: true })
      .waitFor();
    await expectAccessible(page);
  });

  it('opens a page in its browser', async () => {
    const startUrl = 'https://catalogue.example.com/tents';
    const config = { extras: { startUrl } };
    const { page } = await toolsPage({ ...orders, type: 'browser', config });
    let asked: unknown;
    await page.route('**/api/tools/*/test', (route) => {
      asked = route.request().postDataJSON();
      const json = { success: true, output: 'Tents', error: null, status: null };
      return route.fulfill({ json: { ...json, executionTimeMs: 7 } });
    });
    await chooseFromMenu(page, 'Orders', 'Test Tool');
    await expect.poll(() => field(page, 'input').getAttribute('placeholder')).toBe(startUrl);
    await press(dialog(page), 'Test Tool');
    await dialog(page).getByRole('region', { name: 'Result' }).getByText('Tents').waitFor();
    expect(asked).toEqual({ input: '' });
  });
});

describe('a tool that is edited', () => {
  it('keeps its credentials, and sends only changed fields', async () => {
    const { page, id } = await toolsPage(kept);
    const bodies: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') bodies.push(request.postDataJSON());
    });
    await chooseFromMenu(page, 'Orders', 'Edit Tool');
    await shows(page, 'Stored: token');
    await expect.poll(() => field(page, 'baseUrl').inputValue()).toBe(orders.config.baseUrl);
    await expect.poll(() => field(page, 'headers.0.name').inputValue()).toBe('x-shop');
    await expect.poll(() => field(page, 'credentials.token').count()).toBe(0);
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

  it('warns before a change that removes its credentials, and requires them again', async () => {
    const { page, id } = await toolsPage(kept);
    await chooseFromMenu(page, 'Orders', 'Edit Tool');
    await field(page, 'baseUrl').fill('https://other.example.com/api');
    await shows(page, "The stored credentials (token) belong to the tool's previous settings.");
    await expectAccessible(page);
    await save(page);
    await dialogIsGone(page);
    await toast(page, "The tool's credentials were removed. Enter them again.");
    await card(page, 'Orders').getByText('Enter the credentials again').waitFor();
    expect(await toolOf(page, id)).toMatchObject({ credentialNames: [], version: 2 });

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
  });

  it("shows the server's refusal at its field", async () => {
    const { page } = await toolsPage(kept);
    await page.route('**/api/tools/*', (route) => {
      const config = { ...orders.config, authType: 'apikey' };
      return route.continue({ postData: JSON.stringify({ config }) });
    });
    await chooseFromMenu(page, 'Orders', 'Edit Tool');
    await field(page, 'authType').selectOption('apikey');
    await field(page, 'credentials.apiKey').fill('a-key');
    await save(page);
    await shows(page, 'Required for this authentication type');
    await toast(page, 'Failed to update tool');
    await expect.poll(() => page.locator(':focus').getAttribute('name')).toBe('credentials.apiKey');
  });

  it('has a history, from which an older version can be restored', async () => {
    const { page, id } = await toolsPage(kept);
    await page.request.put(`/api/tools/${id}`, { data: { name: 'Purchases' } });
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
  });

  it('is deleted after a confirmation, and restored from the toast', async () => {
    const { page } = await toolsPage(kept);
    await chooseFromMenu(page, 'Orders', 'Delete Tool');
    await press(page.getByRole('alertdialog'), 'Delete Tool');
    await page.getByText('No tools yet').waitFor();
    await toast(page, 'Tool deleted');
    await press(page, 'Undo');
    await card(page, 'Orders').getByText('Credentials stored: token').waitFor();
    await toast(page, 'Tool restored');
  });
});
