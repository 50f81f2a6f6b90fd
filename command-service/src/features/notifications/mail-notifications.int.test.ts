import { newId } from '@tallyhand/service-kit/crypto/ids';
import { openMail } from '@tallyhand/service-kit/crypto/sealed-box';
import { formatPosition, START } from '@tallyhand/service-kit/event-store/position';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestKit, type TestKit } from '../../kit/testing/backends.ts';
import { mailNotifications, type NotificationMailTimes } from './mail-notifications.ts';

const MINUTE_MS = 60_000;
const SOON: NotificationMailTimes = {
  restMs: 2 * MINUTE_MS,
  betweenMs: 60 * MINUTE_MS,
  checkEveryMs: 10,
};

let kit: TestKit;
let organizationId: string;
beforeAll(async () => {
  kit = await openTestKit();
});
beforeEach(() => {
  organizationId = newId();
});
afterAll(() => kit[Symbol.asyncDispose]());

const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();
const insert = async (table: string, columns: Record<string, unknown>) => {
  const names = Object.keys(columns);
  await kit.admin.query(
    `insert into ${table} (${names.join(', ')})
     values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(columns),
  );
};
async function member(role = 'Admin', status = 'active'): Promise<string> {
  const id = newId();
  await insert('read_model.members', {
    user_id: id,
    organization_id: organizationId,
    username: `Person ${id}`,
    email: '',
    role,
    status,
    joined_at: ago(60 * 24),
  });
  return id;
}
/** For every member by default, as for low credits. */
async function notification(
  minutesAgo: number,
  more: Record<string, unknown> = {},
): Promise<string> {
  const id = newId();
  await insert('read_model.notifications', {
    notification_id: id,
    organization_id: organizationId,
    kind: 'low-credits',
    severity: 'warning',
    params: { level: 50, available: 49 },
    object_kind: 'organization',
    object_id: organizationId,
    created_at: ago(minutesAgo),
    ...more,
  });
  return id;
}
const preferences = (userId: string, off: string) =>
  insert('read_model.notification_preferences', {
    user_id: userId,
    organization_id: organizationId,
    email_notifications: true,
    agent_status_updates: true,
    credit_balance_alerts: true,
    [off]: false,
  });

/** Runs the job for the organization until nothing is left to do. */
async function mailed(times: Partial<NotificationMailTimes> = {}) {
  await kit.admin.query(
    `insert into operational.notification_checks (organization_id, position) values ($1, $2)
     on conflict (organization_id) do update set check_at = now()`,
    [organizationId, formatPosition(START)],
  );
  const steps = {
    accounts: { emailOf: async (userId: string) => `${userId}@example.com` },
    organizations: { nameOf: async () => 'Harbour' },
  };
  await using _ = mailNotifications(kit.opened.kit, steps, { ...SOON, ...times });
  await expect
    .poll(async () => {
      const { rows } = await kit.admin.query<{ open: string }>(
        `select (select count(*) from operational.notification_checks
             where organization_id = $1 and check_at <= now())
           + (select count(*) from operational.notification_mails
             where organization_id = $1 and handed_over_at is null) as open`,
        [organizationId],
      );
      return Number(rows[0]?.open);
    })
    .toBe(0);
  const { rows } = await kit.admin.query<{ mail_id: string; recipient: string; sealed: Buffer }>(
    `select mail_id, recipient_id as recipient, sealed from operational.outgoing_mail
     where organization_id = $1 order by made_at`,
    [organizationId],
  );
  return rows.map(({ mail_id, recipient, sealed }) => {
    const { subject, text, to } = openMail(kit.opened.kit.box, mail_id, sealed);
    return { recipient, subject, text, to };
  });
}
const recipients = async () => (await mailed()).map(({ recipient }) => recipient).toSorted();

describe('a mail about notifications', () => {
  it('reports unread notifications to each member, once', async () => {
    const [ada, bob] = [await member(), await member('Viewer')];
    await notification(5);
    const error = 'The tool did not answer <b>';
    const [agent_id, object_id] = [newId(), newId()];
    await notification(4, {
      kind: 'task-failed',
      params: { code: 'x', error },
      object_kind: 'task',
      to_user: ada,
      agent_id,
      object_id,
    });
    const first = await mailed();
    expect(first.map(({ recipient, to }) => [recipient, to]).toSorted()).toEqual(
      [ada, bob].map((id) => [id, `${id}@example.com`]).toSorted(),
    );
    const [toAda, toBob] = [ada, bob].map((id) => first.find((m) => m.recipient === id));
    expect(toAda?.subject).toBe('2 notifications from Harbour on Tallyhand');
    expect(toAda?.text).toContain(`An agent: task failed. ${error}`);
    expect(toAda?.text).toContain('Low balance: 49 credits left');
    expect(toBob?.subject).toMatch(/^Low balance: 49 credits left/);
    expect(toBob?.text).not.toContain('failed');
    expect(toBob?.text).toContain('/billing');
    expect(await mailed({ betweenMs: 0 })).toHaveLength(2);
  });

  it('leaves out read, recent and old notifications', async () => {
    const [ada, bob] = [await member(), await member()];
    const read = await notification(5);
    const of = { user_id: ada, organization_id: organizationId, read_at: ago(1) };
    await insert('read_model.notification_reads', { ...of, notification_id: read });
    await insert('read_model.notification_reads_until', { ...of, user_id: bob, until: ago(3) });
    await notification(1);
    await notification(60 * 25);
    expect(await recipients()).toEqual([]);
    const { rows } = await kit.admin.query<{ seconds: string }>(
      `select extract(epoch from check_at - now()) as seconds from operational.notification_checks
       where organization_id = $1`,
      [organizationId],
    );
    expect(Number(rows[0]?.seconds)).toBeGreaterThan(40);
    expect(Number(rows[0]?.seconds)).toBeLessThan(61);
  });

  it('goes to the members concerned whose switch is on', async () => {
    const [ada, bob, eve] = [await member(), await member(), await member('Viewer')];
    await member('Admin', 'deactivated');
    // Notifications are not for Auditors.
    await member('Auditor');
    await preferences(bob, 'email_notifications');
    await notification(5, { to_roles: ['Admin'], kind: 'payment', params: { status: 'failed' } });
    expect(await recipients()).toEqual([ada]);
    await notification(5, { kind: 'agent-status', params: { status: 'paused' }, actor_id: ada });
    await preferences(eve, 'agent_status_updates');
    expect(await recipients()).toEqual([ada]);
  });

  it('is sent at most once an hour, or at once if it is critical', async () => {
    await member();
    await notification(5);
    expect(await mailed()).toHaveLength(1);
    await notification(5);
    expect(await mailed()).toHaveLength(1);
    await notification(0, { severity: 'critical', params: { level: 0, available: 0 } });
    const [, critical, ...more] = await mailed();
    expect(critical?.subject).toBe('Out of credits. Agents have stopped working..');
    expect(more).toEqual([]);
  });

  it('is made again with the same id if the process died before handing it over', async () => {
    const ada = await member();
    await notification(5);
    const [sent] = await mailed();
    await kit.admin.query(
      'update operational.notification_mails set handed_over_at = null where user_id = $1',
      [ada],
    );
    expect(await mailed()).toEqual([sent]);
    await kit.admin.query('delete from operational.outgoing_mail where recipient_id = $1', [ada]);
    await kit.admin.query(
      'update operational.notification_mails set handed_over_at = null where user_id = $1',
      [ada],
    );
    expect(await mailed()).toEqual([sent]);
  });

  it('contains nothing of another organization', async () => {
    await member();
    const foreign = organizationId;
    organizationId = newId();
    await notification(5);
    expect(await mailed()).toEqual([]);
    organizationId = foreign;
    expect(await mailed()).toEqual([]);
  });
});
