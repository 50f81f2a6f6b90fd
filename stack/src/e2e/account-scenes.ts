import type { Page } from 'playwright';
import type { Scene, Visitor } from './scene.ts';
import { dialog, field, press } from './steps.ts';

const settings = (tab: string, as: Visitor = 'admin') =>
  ({ name: `settings-${tab}`, as, path: `/settings?tab=${tab}` }) as const;

/** The token of a link: the page looks the same for every token until it is used. */
const TOKEN = 'an-unknown-link';

async function changeAddress(page: Page) {
  await field(page, 'email').fill('a.member.with.a.rather.long.name@northwind.example.com');
  await press(page, 'Save changes');
  await page.getByText('Please enter your password').waitFor();
}

async function setUpSecondFactor(page: Page) {
  await press(page, 'Set up two-factor authentication');
  await field(page, 'password').waitFor();
}

async function chooseKnownPassword(page: Page) {
  await field(page, 'newPassword').fill('qwertyuiop');
  // It is looked up on leaving the field.
  await field(page, 'confirmPassword').fill('qwertyuiop');
  await page.getByText('lists of leaked passwords').waitFor();
}

/** As after twenty wrong passwords by others within an hour. */
async function throttled(page: Page) {
  await page.route('**/api/login', (route) =>
    route.fulfill({
      status: 429,
      json: {
        type: 'about:blank',
        title: 'Too many failed attempts',
        status: 429,
        detail: 'Too many failed attempts. Try again in 12 minutes.',
        code: 'too-many-attempts',
        params: { retryAfterSeconds: 720, deviceLink: 'by-mail' },
      },
    }),
  );
  await field(page, 'email').fill('mara.quint@northwind.example.com');
  await field(page, 'password').fill('a long password');
  await page.locator('form').getByRole('button', { name: 'Sign In' }).click();
  await page.getByText('Too many failed attempts').waitFor();
}

async function deviceLinkSent(page: Page) {
  await throttled(page);
  await press(page, 'Send link');
  await page.getByText("we've sent it a link").waitFor();
}

const invitation = { organizationName: 'Harbour Books', role: 'Editor', status: 'pending' };

/** Opens an invitation, whose address has an account if `code` says so. */
const invited = (code?: string) => async (page: Page) => {
  await page.route('**/api/invitation-tokens/*', (route) => route.fulfill({ json: invitation }));
  const problem = {
    type: 'about:blank',
    title: 'Account exists',
    status: 409,
    detail: 'This address belongs to an account of another organization.',
    code,
    params: { reason: 'elsewhere' },
  };
  await page.route('**/api/invitations/check', (route) =>
    code ? route.fulfill({ status: 409, json: problem }) : route.fulfill({ status: 204 }),
  );
  await page.goto(`/auth?invite=${TOKEN}`);
  const refusal = code ? 'account in another organization' : 'belongs to one organization';
  await page.getByText(refusal).waitFor();
};

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
    as: 'visitor',
    path: '/auth',
    act: (page) => press(page, 'Forgot password?'),
  },
  { name: 'auth-reset', as: 'visitor', path: `/auth?reset=${TOKEN}`, act: chooseKnownPassword },
  { name: 'auth-throttled', as: 'visitor', path: '/auth', act: throttled },
  { name: 'auth-throttled-sent', as: 'visitor', path: '/auth', act: deviceLinkSent },
  {
    name: 'auth-invited-elsewhere',
    as: 'visitor',
    path: '/auth',
    act: invited('email-has-account'),
  },
  { name: 'auth-invited-signed-in', as: 'viewer', path: '/dashboard', act: invited() },
  { name: 'auth-device', as: 'visitor', path: `/auth?device=${TOKEN}` },
  {
    name: 'auth-device-over',
    as: 'visitor',
    path: `/auth?device=${TOKEN}`,
    act: async (page) => {
      await press(page, 'Allow this browser to sign in');
      await page.getByText("Couldn't allow this browser").waitFor();
    },
  },
  { name: 'auth-undo', as: 'visitor', path: `/auth?undo=${TOKEN}` },
  {
    name: 'auth-undo-over',
    as: 'visitor',
    path: `/auth?undo=${TOKEN}`,
    act: async (page) => {
      await press(page, 'Undo the change');
      await page
        .getByText(/invalid or has expired/)
        .first()
        .waitFor();
    },
  },
];

const AGENT = 'Support desk for returns, refunds and everything that customers ask in the evening';
const by = { agentName: AGENT, memberName: 'Ada Quint' };
const money = { cents: 149_900, currency: 'usd' };

/** One of each kind and severity, half of them read. */
const notifications = [
  { kind: 'low-credits', severity: 'critical', params: { level: 0, available: 0 } },
  { kind: 'payment', severity: 'critical', params: { status: 'disputed', ...money } },
  {
    kind: 'task-failed',
    severity: 'warning',
    params: { agentName: AGENT, error: 'The model did not answer within two minutes. '.repeat(5) },
  },
  { kind: 'mailbox-failing', severity: 'warning', params: { ...by, status: 'failed' } },
  { kind: 'low-credits', severity: 'info', params: { level: 100, available: 1_099 } },
  { kind: 'agent-status', severity: 'info', params: { ...by, status: 'paused' } },
  { kind: 'session-ended', severity: 'info', params: { ...by, status: 'completed' } },
  { kind: 'invitation-accepted', severity: 'info', params: { memberName: 'Ada Quint' } },
  { kind: 'webhook-disabled', severity: 'warning', params: { reason: 'failing' } },
  {
    kind: 'tool-credentials-dropped',
    severity: 'warning',
    params: { toolName: 'Order lookup', reason: 'upgraded' },
  },
  {
    kind: 'log-stream-failing',
    severity: 'warning',
    params: { receiver: 'https://siem.northwind.example.com:8443' },
  },
].map((notification, n) => {
  const createdAt = new Date(Date.now() - n ** 3 * 20 * 60_000).toISOString();
  const id = `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`;
  const object = { kind: 'agent', id };
  return { ...notification, id, object, createdAt, readAt: n % 2 === 0 ? null : createdAt };
});

const opened = (unread: number, list: object[]) => async (page: Page) => {
  await page.route('**/api/notifications/unread', (route) =>
    route.fulfill({ json: { count: unread } }),
  );
  await page.route('**/api/notifications?*', (route) => route.fulfill({ json: list }));
  await page.reload();
  await page.getByRole('button', { name: /^Notifications/ }).click();
  await dialog(page).getByText('Settings').waitFor();
};

export const notificationScenes: readonly Scene[] = [
  { name: 'notifications', as: 'admin', path: '/dashboard', act: opened(128, notifications) },
  { name: 'notifications-empty', as: 'admin', path: '/dashboard', act: opened(0, []) },
];
