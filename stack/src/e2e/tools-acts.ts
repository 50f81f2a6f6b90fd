import type { Page } from 'playwright';
import { confirmRestore } from './knowledge-acts.ts';
import type { Scene } from './scene.ts';
import { aTool, chooseFromMenu, chooseOnPage, dialog, press } from './steps.ts';

export async function editSecrets(page: Page) {
  await chooseFromMenu(page, 'Order lookup', 'Edit Tool');
  await press(dialog(page), 'Replace');
  await press(dialog(page), 'Add header');
}

export async function testTool(page: Page) {
  await chooseFromMenu(page, 'Order lookup', 'Test Tool');
  await press(dialog(page), 'Test Tool');
  await dialog(page).getByText('Failed').waitFor();
}

export async function scriptTool(page: Page) {
  await press(page, 'Add Tool');
  await dialog(page).getByLabel('Type').selectOption('custom');
  await press(dialog(page), 'Add secret');
}

export async function toolHistory(page: Page) {
  await chooseFromMenu(page, 'Delivery date', 'History');
  await dialog(page).getByText('Initial version').first().click();
}

/** A tool that lost its credentials because its server changed. */
async function droppedCredentials(page: Page) {
  const config = { baseUrl: 'https://shop.example.com/api', authType: 'bearer' };
  const body = { ...aTool, config, authCredentials: { token: 'a-token-of-the-shop' } };
  const made = await (await page.request.post('/api/tools', { data: body })).json();
  const moved = { ...config, baseUrl: 'https://orders.example.com/api' };
  await page.request.put(`/api/tools/${made.id}`, { data: { config: moved } });
  await page.reload();
  // Earlier scenes may have left similar ones.
  await page.getByText('Enter the credentials again').first().waitFor();
}

async function editDropped(page: Page) {
  await droppedCredentials(page);
  await chooseFromMenu(page, 'Orders', 'Edit Tool');
  await dialog(page).getByLabel('Name').first().waitFor();
}

async function restoreDropped(page: Page) {
  await droppedCredentials(page);
  await confirmRestore('Orders')(page);
}

/** Two were deleted, one with a long name. */
async function deletedTools(page: Page) {
  for (const name of ['Orders', `Bestellnummern-${'nachverfolgung'.repeat(5)}`]) {
    const made = await page.request.post('/api/tools', { data: { ...aTool, name } });
    await page.request.delete(`/api/tools/${(await made.json()).id}`);
  }
  await chooseOnPage(page, 'Deleted tools');
  await dialog(page).getByRole('heading', { name: 'Orders' }).waitFor();
}

/** A new tool whose server demands a sign-in. */
async function signInForm(page: Page) {
  await press(page, 'Add Tool');
  await dialog(page).getByLabel('Type').selectOption('mcp');
  await dialog(page).getByLabel('Authentication').selectOption('oauth');
  await dialog(page).getByText('/tools/signed-in').scrollIntoViewIfNeeded();
}

async function notSignedIn(page: Page) {
  const config = { baseUrl: 'https://calendar.example.com/mcp', authType: 'oauth' };
  const data = { ...aTool, name: 'Calendar', type: 'mcp', config };
  await page.request.post('/api/tools', { data });
  await page.reload();
  await page.getByRole('button', { name: 'Sign In' }).first().waitFor();
}

/** Of tools that the scene itself makes. */
export const newToolScenes: readonly Scene[] = [
  { name: 'tools-dropped', as: 'newcomer', path: '/tools', act: droppedCredentials },
  { name: 'tools-dropped-edit', as: 'newcomer', path: '/tools', act: editDropped },
  { name: 'tools-dropped-restore', as: 'newcomer', path: '/tools', act: restoreDropped },
  { name: 'tools-deleted', as: 'newcomer', path: '/tools', act: deletedTools },
  { name: 'tools-sign-in-form', as: 'newcomer', path: '/tools', act: signInForm },
  { name: 'tools-sign-in', as: 'newcomer', path: '/tools', act: notSignedIn },
  {
    name: 'tools-signed-in',
    as: 'newcomer',
    path: '/tools/signed-in?state=invented&code=one',
    act: (page) => page.getByText("This sign-in isn't known").waitFor(),
  },
];
