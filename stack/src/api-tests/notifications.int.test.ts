import {
  type Agent,
  changeAgent,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  changeNotificationPreferences,
  countUnreadNotifications,
  getNotificationPreferences,
  listNotifications,
  markNotificationsRead,
  type Notification,
  type NotificationPreferences,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { type MailServer, mailThrough, startMailServer } from '@tallyhand/test-kit/mail-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { purchasesOf } from '../testing/one-of-each.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

let product: OwnProduct;
let server: MailServer;
let admin: ApiClient;
let editor: ApiClient;
let editorEmail: string;
let agentId: string;

beforeAll(async () => {
  server = await startMailServer();
  product = await startTestProduct({
    mail: mailThrough(server),
    notificationTimes: { restMs: 0, betweenMs: 0, checkEveryMs: 20 },
  });
});
beforeEach(async () => {
  ({ client: admin } = await registerOrganization(product.url));
  const joined = await joinAs(admin, product.url, 'Editor');
  editor = joined.client;
  editorEmail = joined.user.email;
  agentId = (await admin.call<Agent>(createAgent, { body: agentInput })).body.id;
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const setActive = (by: ApiClient, isActive: boolean) =>
  by.call(changeAgent, { params: { id: agentId }, body: { isActive } });
const listed = async (of: ApiClient) => (await of.call<Notification[]>(listNotifications)).body;
const unread = async (of: ApiClient) =>
  (await of.call<{ count: number }>(countUnreadNotifications)).body.count;
const markRead = (of: ApiClient, body: object) => of.call<Problem>(markNotificationsRead, { body });
/** Texts of notification mails, without soft line breaks. */
const mailsTo = (email: string) =>
  server.received
    .filter(({ to }) => to.includes(email))
    .map(({ text }) => text.replace(/=\r?\n/g, ''))
    .filter((text) => text.includes('email notifications are on'));
/** Another member's action reaches a caller in a moment. */
const comesTo = (of: ApiClient, count: number) => expect.poll(() => unread(of)).toBe(count);

describe('notifications', () => {
  it('report what others did, with their names, and each member has separate read marks', async () => {
    await setActive(admin, false);
    await comesTo(editor, 1);
    const [paused] = await listed(editor);
    expect(paused).toMatchObject({
      kind: 'agent-status',
      severity: 'info',
      readAt: null,
      object: { kind: 'agent', id: agentId },
      params: { status: 'paused', agentName: agentInput.name },
    });
    expect(paused?.params.memberName).toMatch(/^User /);
    await comesTo(admin, 1);
    const [joined, ...more] = await listed(admin);
    expect(joined).toMatchObject({
      kind: 'invitation-accepted',
      params: { memberName: 'The Editor' },
    });
    expect(more).toEqual([]);

    expect((await markRead(editor, { ids: [paused?.id] })).status).toBe(204);
    expect((await listed(editor))[0]?.readAt).not.toBeNull();
    expect([await unread(editor), await unread(admin)]).toEqual([0, 1]);
    await setActive(admin, true);
    await comesTo(editor, 1);
    await markRead(editor, { all: true, until: paused?.createdAt });
    expect(await unread(editor)).toBe(1);
    await markRead(editor, { all: true });
    expect(await unread(editor)).toBe(0);
  });

  it('are not visible to another organization, and report nothing of it', async () => {
    await comesTo(admin, 1);
    const [notification] = await listed(admin);
    const { client: stranger } = await registerOrganization(product.url);
    expect((await markRead(stranger, { ids: [notification?.id] })).status).toBe(204);
    expect((await markRead(stranger, { all: true })).status).toBe(204);
    expect((await listed(admin))[0]?.readAt).toBeNull();
    expect(await listed(stranger)).toEqual([]);
  });

  it.each([
    ['nothing', {}, 'ids'],
    ['both', { ids: [crypto.randomUUID()], all: true }, 'ids'],
    ['a moment without all', { ids: [crypto.randomUUID()], until: new Date() }, 'until'],
    ['no moment', { all: true, until: 'yesterday' }, 'until'],
    ['too many', { ids: Array(101).fill(crypto.randomUUID()) }, 'ids'],
  ])('are not marked by %s', async (_name, body, path) => {
    const answer = await markRead(admin, body);
    expect([answer.status, answer.body.errors?.map((each) => each.path)]).toEqual([422, [path]]);
  });

  it('come by mail while they are unread, and not where a switch is off', async () => {
    await editor.call(changeNotificationPreferences, { body: { agentStatusUpdates: false } });
    const { body } = await editor.call<NotificationPreferences>(getNotificationPreferences);
    expect(body).toEqual({
      emailNotifications: true,
      agentStatusUpdates: false,
      creditBalanceAlerts: true,
    });
    const { client: manager, user } = await joinAs(admin, product.url, 'AgentManager');
    await setActive(admin, false);
    await expect.poll(() => mailsTo(user.email)).toHaveLength(1);
    expect(mailsTo(user.email)[0]).toContain(`${agentInput.name} was paused by User `);
    expect(await listed(manager)).toHaveLength(1);
    expect([await listed(editor), mailsTo(editorEmail)]).toEqual([[], []]);
    await manager.call(changeNotificationPreferences, { body: { emailNotifications: false } });
    await editor.call(changeNotificationPreferences, { body: { agentStatusUpdates: true } });
    await setActive(admin, true);
    await expect.poll(() => mailsTo(editorEmail).length).toBeGreaterThan(0);
    expect(await unread(manager)).toBe(2);
    expect(mailsTo(user.email)).toHaveLength(1);
  });

  it('report payments with their amounts to Admins', async () => {
    await purchasesOf(admin).buy('declined');
    await comesTo(admin, 2);
    const notification = (await listed(admin)).find(({ kind }) => kind === 'payment');
    expect(notification).toMatchObject({
      severity: 'warning',
      params: { status: 'failed', cents: 4_900, currency: 'usd' },
    });
    expect((await listed(editor)).map(({ kind }) => kind)).not.toContain('payment');
  });
});
