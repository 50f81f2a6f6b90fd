import type { Page } from 'playwright';
import type { Scene } from './scene.ts';
import { dialog } from './steps.ts';

const AGENT = 'Support desk for returns, refunds and everything that customers ask in the evening';
const by = { agentName: AGENT, memberName: 'Ada Quint' };
const money = { cents: 149_900, currency: 'usd' };

/** One of each kind and severity, half of them read. */
const notices = [
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
].map((notice, n) => {
  const createdAt = new Date(Date.now() - n ** 3 * 20 * 60_000).toISOString();
  const id = `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`;
  const object = { kind: 'agent', id };
  return { ...notice, id, object, createdAt, readAt: n % 2 === 0 ? null : createdAt };
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
  { name: 'notifications', as: 'admin', path: '/dashboard', act: opened(128, notices) },
  { name: 'notifications-empty', as: 'admin', path: '/dashboard', act: opened(0, []) },
];
