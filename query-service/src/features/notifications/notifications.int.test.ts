import { randomUUID } from 'node:crypto';
import type { Notification } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Caller,
  openTestQueryService,
  type TestQueryService,
} from '../../testing/test-query-service.ts';

let service: TestQueryService;
beforeAll(async () => {
  service = await openTestQueryService();
});
afterAll(() => service[Symbol.asyncDispose]());

type More = Readonly<Record<string, string | null>>;

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** For every member by default, as for low credits. */
async function notification({ organizationId }: Pick<Caller, 'organizationId'>, more: More = {}) {
  const id = randomUUID();
  await service.insert('notifications', {
    notification_id: id,
    organization_id: organizationId,
    kind: 'low-credits',
    severity: 'info',
    params: '{"level": 100, "available": 99}',
    object_id: id,
    object_kind: 'organization',
    created_at: daysAgo(1),
    ...more,
  });
  return id;
}
const member = ({ userId, organizationId }: Caller, username: string, joinedAt: string) =>
  service.insert('members', {
    user_id: userId,
    organization_id: organizationId,
    username,
    email: '',
    role: 'Viewer',
    status: 'active',
    joined_at: joinedAt,
  });
const switchOff = ({ userId, organizationId }: Caller, name: string) =>
  service.insert('notification_preferences', {
    user_id: userId,
    organization_id: organizationId,
    email_notifications: 'true',
    agent_status_updates: 'true',
    credit_balance_alerts: 'true',
    [name]: 'false',
  });

const listed = async (caller: Caller) =>
  (await service.get('/api/notifications', caller)).body as Notification[];
const seen = async (caller: Caller) => (await listed(caller)).map(({ id }) => id);
const unread = async (caller: Caller) =>
  (await service.get('/api/notifications/unread', caller)).body;

describe('GET /api/notifications', () => {
  it('shows what concerns everyone in the organization, and no one outside', async () => {
    const own = await service.caller('Viewer');
    const id = await notification(own, { created_at: '2026-11-21T08:00:00.000Z' });
    expect(await listed(own)).toEqual([
      {
        id,
        kind: 'low-credits',
        severity: 'info',
        object: { kind: 'organization', id },
        params: { level: 100, available: 99 },
        readAt: null,
        createdAt: '2026-11-21T08:00:00.000Z',
      },
    ]);
    expect(await listed(await service.caller())).toEqual([]);
  });

  it('shows each member what concerns them or their role, except their own actions', async () => {
    const admin = await service.caller('Admin');
    const viewer = await service.caller('Viewer', admin.organizationId);
    const keeper = await service.caller('AgentManager', admin.organizationId);
    await member(admin, 'Ada', daysAgo(10));
    const agentId = randomUUID();
    await service.agentNamed(admin.organizationId, agentId, 'Support');
    const personal = await notification(admin, { kind: 'task-failed', to_user: viewer.userId });
    const forAdmins = await notification(admin, { kind: 'payment', to_roles: '{Admin}' });
    const paused = await notification(admin, {
      kind: 'agent-status',
      to_roles: '{Admin,AgentManager}',
      actor_id: admin.userId,
      agent_id: agentId,
      params: '{"status": "paused"}',
    });
    expect([await seen(viewer), await seen(admin), await seen(keeper)]).toEqual([
      [personal],
      [forAdmins],
      [paused],
    ]);
    expect((await listed(keeper))[0]?.params).toEqual({
      status: 'paused',
      agentName: 'Support',
      memberName: 'Ada',
    });
    expect([await unread(viewer), await unread(admin)]).toEqual([{ count: 1 }, { count: 1 }]);
    const both = { kind: 'mailbox-failing', to_user: viewer.userId, to_roles: '{Admin}' };
    const failing = await notification(admin, { ...both, created_at: daysAgo(0.5) });
    expect([await seen(viewer), await seen(admin), await seen(keeper)]).toEqual([
      [failing, personal],
      [failing, forAdmins],
      [paused],
    ]);
  });

  it('leaves out notifications older than 90 days, and those from before the member joined', async () => {
    const old = await service.caller();
    const late = await service.caller('Admin', old.organizationId);
    await member(late, 'Late', daysAgo(5));
    await notification(old, { created_at: daysAgo(91) });
    const before = await notification(old, { created_at: daysAgo(89) });
    const after = await notification(old, { created_at: daysAgo(4) });
    expect([await seen(old), await seen(late)]).toEqual([[after, before], [after]]);
  });

  it('respects the preferences', async () => {
    const [all, alerts, status] = [
      await service.caller(),
      await service.caller(),
      await service.caller(),
    ];
    await switchOff(alerts, 'credit_balance_alerts');
    await switchOff(status, 'agent_status_updates');
    const kinds = ['low-credits', 'agent-status', 'payment'];
    const shown = async (caller: Caller) => {
      for (const kind of kinds) await notification(caller, { kind });
      const found = (await listed(caller)).map(({ kind }) => kind).toSorted();
      expect(await unread(caller)).toEqual({ count: found.length });
      return found;
    };
    expect(await shown(all)).toEqual(kinds.toSorted());
    expect(await shown(alerts)).toEqual(['agent-status', 'payment']);
    expect(await shown(status)).toEqual(['low-credits', 'payment']);
  });

  it('keeps read marks separate for two members', async () => {
    const one = await service.caller();
    const two = await service.caller('Viewer', one.organizationId);
    const [first, second, third] = [
      await notification(one, { created_at: daysAgo(3) }),
      await notification(one, { created_at: daysAgo(2) }),
      await notification(one, { created_at: daysAgo(1) }),
    ];
    const of = { user_id: one.userId, organization_id: one.organizationId };
    const at = '2026-11-21T08:00:00.000Z';
    await service.insert('notification_reads', {
      ...of,
      notification_id: third ?? '',
      read_at: at,
    });
    await service.insert('notification_reads_until', { ...of, until: daysAgo(2.5), read_at: at });
    const later = { until: daysAgo(2.2), read_at: '2026-11-22T08:00:00Z' };
    await service.insert('notification_reads_until', { ...of, ...later });
    const read = async (caller: Caller) =>
      (await listed(caller)).map(({ id, readAt }) => [id, readAt]);
    const moment = '2026-11-21T08:00:00.000Z';
    expect(await read(one)).toEqual([
      [third, moment],
      [second, null],
      [first, moment],
    ]);
    expect((await read(two)).map(([, readAt]) => readAt)).toEqual([null, null, null]);
    expect([await unread(one), await unread(two)]).toEqual([{ count: 1 }, { count: 3 }]);
  });
});

describe('GET /api/user/notification-preferences', () => {
  it('lists what is on, which is everything until turned off', async () => {
    const [one, two] = [await service.caller(), await service.caller()];
    await switchOff(two, 'email_notifications');
    const get = async (caller: Caller) =>
      (await service.get('/api/user/notification-preferences', caller)).body;
    const on = { emailNotifications: true, agentStatusUpdates: true, creditBalanceAlerts: true };
    expect(await get(one)).toEqual(on);
    expect(await get(two)).toEqual({ ...on, emailNotifications: false });
  });
});
