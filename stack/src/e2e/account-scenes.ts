import type { Page } from 'playwright';
import type { Scene, Visitor } from './scene.ts';
import { field, press } from './steps.ts';

const settings = (tab: string, as: Visitor = 'admin') =>
  ({ name: `settings-${tab}`, as, path: `/settings?tab=${tab}` }) as const;

/** Of a link: what is shown does not depend on whose it is until it is used. */
const TOKEN = 'a-link-of-which-nobody-knows';

async function changeAddress(page: Page) {
  await field(page, 'email').fill('somebody.with.a.rather.long.name@northwind.example.com');
  await press(page, 'Save changes');
  await page.getByText('Please enter your password').waitFor();
}

async function setUpSecondFactor(page: Page) {
  await press(page, 'Set up a second factor');
  await field(page, 'password').waitFor();
}

async function chooseKnownPassword(page: Page) {
  await field(page, 'newPassword').fill('qwertyuiop');
  // It is looked up when one goes on.
  await field(page, 'confirmPassword').fill('qwertyuiop');
  await page.getByText('lists of stolen ones').waitFor();
}

export const accountScenes: readonly Scene[] = [
  settings('profile', 'viewer'),
  { ...settings('profile'), name: 'settings-profile-address', act: changeAddress },
  settings('notifications'),
  settings('security'),
  {
    ...settings('security', 'newcomer'),
    name: 'settings-second-factor',
    act: setUpSecondFactor,
  },
  {
    ...settings('security', 'viewer'),
    name: 'settings-erase',
    act: (page) => press(page, 'Erase my account'),
  },
  settings('billing'),
  {
    name: 'auth-forgot',
    as: 'nobody',
    path: '/auth',
    act: (page) => press(page, 'Forgot password?'),
  },
  { name: 'auth-reset', as: 'nobody', path: `/auth?reset=${TOKEN}`, act: chooseKnownPassword },
  { name: 'auth-device', as: 'nobody', path: `/auth?device=${TOKEN}` },
  { name: 'auth-undo', as: 'nobody', path: `/auth?undo=${TOKEN}` },
  {
    name: 'auth-undo-over',
    as: 'nobody',
    path: `/auth?undo=${TOKEN}`,
    act: async (page) => {
      await press(page, 'Take the change back');
      await page
        .getByText(/expired or was used already/)
        .first()
        .waitFor();
    },
  },
];
