import type { Page } from 'playwright';
import { shownCode } from '../testing/mailed-links.ts';
import { expectAccessible } from './browser.ts';
import { dialog, dialogIsGone, field, password, press } from './steps.ts';

type Tab = 'Profile' | 'Notifications' | 'Security' | 'Billing';

export async function settings(page: Page, tab: Tab) {
  await page.goto('/dashboard');
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('tab', { name: tab }).click();
}

/** Returns the recovery codes. */
export async function setUpSecondFactor(page: Page): Promise<string[]> {
  await settings(page, 'Security');
  await press(page, 'Set up two-factor authentication');
  await field(page, 'password').fill(password);
  await press(dialog(page), 'Continue');
  await dialog(page).getByRole('img', { name: 'QR code' }).waitFor();
  await expectAccessible(page);
  const secret = (await dialog(page).locator('p.font-mono').innerText()).trim();
  await field(page, 'code').fill(shownCode(secret));
  await press(dialog(page), 'Turn on');
  const codes = dialog(page).getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await codes.first().waitFor();
  const shown = await codes.allInnerTexts();
  await expectAccessible(page);
  await press(dialog(page), "I've saved them");
  await dialogIsGone(page);
  await page.getByText('10 recovery codes left').waitFor();
  return shown;
}
