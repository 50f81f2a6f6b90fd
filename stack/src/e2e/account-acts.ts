import type { Page } from 'playwright';
import { shownCode } from '../testing/mailed-links.ts';
import { expectAccessible } from './browser.ts';
import { dialog, dialogIsGone, field, press } from './steps.ts';

/** Sends the form for signing in that is shown. */
export async function signIn(page: Page, email: string, secret: string) {
  await field(page, 'email').fill(email);
  await field(page, 'password').fill(secret);
  await page.locator('form:visible button[type="submit"]').click();
}

/** On the security settings; returns the recovery codes. */
export async function setUpSecondFactor(page: Page, password: string): Promise<string[]> {
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
