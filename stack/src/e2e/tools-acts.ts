import type { Page } from 'playwright';
import { confirmRestore } from './knowledge-acts.ts';
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
export async function droppedCredentials(page: Page) {
  const config = { baseUrl: 'https://shop.example.com/api', authType: 'bearer' };
  const body = { ...aTool, config, authCredentials: { token: 'a-token-of-the-shop' } };
  const made = await (await page.request.post('/api/tools', { data: body })).json();
  const moved = { ...config, baseUrl: 'https://orders.example.com/api' };
  await page.request.put(`/api/tools/${made.id}`, { data: { config: moved } });
  await page.reload();
  // Earlier scenes may have left similar ones.
  await page.getByText('Enter the credentials again').first().waitFor();
}

export async function editDropped(page: Page) {
  await droppedCredentials(page);
  await chooseFromMenu(page, 'Orders', 'Edit Tool');
  await dialog(page).getByLabel('Name').first().waitFor();
}

export async function restoreDropped(page: Page) {
  await droppedCredentials(page);
  await confirmRestore('Orders')(page);
}

/** Two were deleted, one with a long name. */
export async function deletedTools(page: Page) {
  for (const name of ['Orders', `Bestellnummern-${'nachverfolgung'.repeat(5)}`]) {
    const made = await page.request.post('/api/tools', { data: { ...aTool, name } });
    await page.request.delete(`/api/tools/${(await made.json()).id}`);
  }
  await page.reload();
  await chooseOnPage(page, 'Deleted tools');
  await dialog(page).getByRole('heading', { name: 'Orders' }).waitFor();
}
