import type { Page } from 'playwright';
import { exportsUnderWay } from './exports-under-way.ts';
import { chooseFromMenu, dialog, press } from './steps.ts';

/** Moves a slider by a key, and waits until what it stands for is there. */
export function slide(name: string, key: string) {
  return async (page: Page) => {
    await page.getByRole('slider', { name }).press(key);
    await page.getByRole('button', { name: 'Back to now' }).waitFor();
  };
}

export function historyThen(name: string) {
  return async (page: Page) => {
    await chooseFromMenu(page, name, 'History');
    await slide('As it was', 'Home')(page);
  };
}

export async function taskHistory(page: Page) {
  await press(page, /^View the task/);
  await dialog(page).getByRole('tab', { name: 'History' }).click();
  await press(dialog(page), 'Details: Task requested');
}

export async function exported(page: Page) {
  await press(dialog(page), 'Start export');
  await dialog(page)
    .getByRole('link', { name: /^Download/ })
    .first()
    .waitFor();
}

export async function exporting(page: Page) {
  await page.route('**/api/audit/exports', exportsUnderWay);
  await page.reload();
  await dialog(page).getByText('This export was not made').waitFor();
}
